// The memory of a Doc as spaCy 3.8 lays it out: the members of spacy.tokens.doc.Doc,
// TokenC and LexemeC in their order. `borders.py` uses them only after it has checked
// them against spaCy's own functions.
#pragma once

#include <Python.h>

#include <cstdint>

namespace spacy_layout {

struct Lexeme {
    uint64_t flags, lang, id, length;
    uint64_t orth, lower, norm, shape, prefix, suffix;
};

struct Token {
    const Lexeme* lex;
    uint64_t morph;
    int pos;
    int spacy;
    uint64_t tag;
    int idx;
    uint64_t lemma, norm;
    int head;
    uint64_t dep;
    uint32_t l_kids, r_kids, l_edge, r_edge;
    int sent_start;
    int ent_iob;
    uint64_t ent_type, ent_kb_id, ent_id;
};

struct Doc {
    PyObject_HEAD
    void* methods;
    PyObject *mem, *vocab, *vector, *vector_norm;
    PyObject *tensor, *cats, *user_data, *spans;
    Token* tokens;
    float sentiment;
    PyObject *user_hooks, *user_token_hooks, *user_span_hooks;
    int has_unknown_spaces;
    PyObject* context;
    int length, max_length;
    PyObject *noun_chunks_iterator, *weak_references;
};

// Attributes of tokens. Numbers below 64 are flags of the lexeme.
enum Field {
    ORTH = 64, LOWER, NORM, SHAPE, LEMMA, POS, TAG, MORPH, DEP, HEAD, SENT_START,
    SPACY, IDX,
};

inline uint64_t read(const Token& token, int field) {
    if (field < ORTH) return token.lex->flags >> field & 1;
    switch (field) {
        case ORTH: return token.lex->orth;
        case LOWER: return token.lex->lower;
        case NORM: return token.norm ? token.norm : token.lex->norm;
        case SHAPE: return token.lex->shape;
        case LEMMA: return token.lemma;
        case POS: return static_cast<uint64_t>(token.pos);
        case TAG: return token.tag;
        case MORPH: return token.morph;
        case DEP: return token.dep;
        case HEAD: return static_cast<uint64_t>(token.head);
        case SENT_START: return static_cast<uint64_t>(token.sent_start);
        case SPACY: return static_cast<uint64_t>(token.spacy);
        case IDX: return static_cast<uint64_t>(token.idx);
        default: return 0;
    }
}

inline void write(Token& token, int field, uint64_t value) {
    switch (field) {
        case POS: token.pos = static_cast<int>(value); break;
        case TAG: token.tag = value; break;
        case MORPH: token.morph = value; break;
        case SENT_START: token.sent_start = static_cast<int>(value); break;
        default: break;
    }
}

// Write heads and labels. `arcs` has for each token the offset of its head and the id
// of its label. Returns false, and writes nothing, if a head is not in the document.
inline bool write_arcs(Token* tokens, int n, const uint64_t* arcs) {
    for (int i = 0; i < n; ++i) {
        const int head = i + static_cast<int>(arcs[2 * i]);
        if (head < 0 || head >= n) return false;
    }
    for (int i = 0; i < n; ++i) {
        tokens[i].head = static_cast<int>(arcs[2 * i]);
        tokens[i].dep = arcs[2 * i + 1];
    }
    return true;
}

// Set what follows from the heads of tokens: the numbers of children, the edges of
// subtrees, and sentence starts. Returns false if a head is in another sentence than
// its dependent, which can be where trees cross; then the values are not final.
//
// Two passes are enough for trees that do not cross. From left to right, all that is
// left of a token has been seen when the token is; so its left edge is final when it is
// passed on to a head on the right. From right to left the same holds for right edges.
inline bool set_children(Token* tokens, int n) {
    for (int i = 0; i < n; ++i) {
        Token& token = tokens[i];
        token.l_kids = token.r_kids = 0;
        token.l_edge = token.r_edge = static_cast<uint32_t>(i);
        token.sent_start = -1;
    }
    const auto pass_edges = [tokens](int i) -> Token& {
        const Token& token = tokens[i];
        Token& head = tokens[i + token.head];
        if (token.l_edge < head.l_edge) head.l_edge = token.l_edge;
        if (token.r_edge > head.r_edge) head.r_edge = token.r_edge;
        return head;
    };
    for (int i = 0; i < n; ++i) {
        Token& head = pass_edges(i);
        head.l_kids += tokens[i].head > 0;
    }
    bool has_unlabelled_root = false;
    for (int i = n - 1; i >= 0; --i) {
        Token& head = pass_edges(i);
        head.r_kids += tokens[i].head < 0;
        has_unlabelled_root |= tokens[i].head == 0 && tokens[i].dep == 0;
    }
    // A root without a label starts no sentence; spaCy knows what follows from that.
    if (has_unlabelled_root) return false;
    for (int i = 0; i < n; ++i)
        if (tokens[i].head == 0) tokens[tokens[i].l_edge].sent_start = 1;
    for (int start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && tokens[end].sent_start != 1;) ++end;
        for (int i = start; i < end; ++i) {
            const int head = i + tokens[i].head;
            if (head < start || head >= end) return false;
        }
    }
    return true;
}

}  // namespace spacy_layout
