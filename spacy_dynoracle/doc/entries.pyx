# cython: boundscheck=False, wraparound=False
"""Makes documents of words, and entries of the vocabulary for new words.

spaCy calls a Python function for each attribute of a new word. Here most of them are
found in other ways that give the same. Like `direct`, this is compiled against the
declarations that spaCy ships.
"""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector
from spacy.attrs cimport attr_id_t
from spacy.lexeme cimport OOV_RANK, Lexeme
from spacy.strings cimport StringStore, hash_utf8
from spacy.structs cimport LexemeC
from spacy.tokens.doc cimport Doc
from spacy.vocab cimport Vocab

from functools import partial
from types import FunctionType

from spacy.lang import lex_attrs
from spacy.symbols import IDS
from spacy.util import _get_attr_unless_lookup as unless_listed

from ..core.features.lexical import word_shape
from ..util.typography import is_blank

cdef extern from *:
    # Of Cython, `c.istitle` is true of all capitals.
    bint Py_UNICODE_ISTITLE(Py_UCS4 c)
    const char* PyUnicode_AsUTF8AndSize(str text, Py_ssize_t* length) except NULL

cdef enum:
    # How the value of an attribute is found: by calling its function, or in another way
    # that gives the same.
    CALL, CONSTANT, LOWERED, FIRST, LAST, SHAPE, LISTED, STOP
    # True or false by the characters of the word.
    ALPHA, ASCII, DIGIT, LOWER, TITLE, UPPER
    # False for all words with a letter or digit, and for those without ".", "/", "@".
    MARK, ADDRESS

# The ways of spaCy's functions.
cdef dict WAYS = {
    lex_attrs.lower: LOWERED,
    lex_attrs.prefix: FIRST,
    lex_attrs.suffix: LAST,
    lex_attrs.word_shape: SHAPE,
    lex_attrs.is_alpha: ALPHA,
    lex_attrs.is_ascii: ASCII,
    lex_attrs.is_digit: DIGIT,
    lex_attrs.is_lower: LOWER,
    lex_attrs.is_title: TITLE,
    lex_attrs.is_upper: UPPER,
    lex_attrs.is_bracket: MARK,
    lex_attrs.is_currency: MARK,
    lex_attrs.is_left_punct: MARK,
    lex_attrs.is_punct: MARK,
    lex_attrs.is_quote: MARK,
    lex_attrs.is_right_punct: MARK,
    lex_attrs.is_space: MARK,
    is_blank: MARK,
    lex_attrs.like_email: ADDRESS,
    lex_attrs.like_url: ADDRESS,
}
cdef dict SYMBOLS = IDS


cdef uint64_t id_of(str text) except? 0:
    """The id of a string, as `StringStore` has it."""
    cdef Py_ssize_t length
    cdef const char* utf8
    symbol = SYMBOLS.get(text)
    if symbol is not None:
        return symbol
    utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    return hash_utf8(<char*>utf8, <int>length) if length else 0


cdef class Entries:
    """Makes entries of a vocab for words, as `Vocab` makes them, without calls of those
    functions whose results are known.
    """

    cdef Vocab vocab
    cdef StringStore strings
    cdef object rows
    # For each attribute its number, its way, and what this way needs.
    cdef vector[int] attributes, ways
    cdef list needs

    def __init__(self, Vocab vocab not None):
        cdef int way
        self.vocab = vocab
        self.strings = vocab.strings
        self.rows = getattr(vocab.vectors, "key2row", {})
        self.needs = []
        for attribute, getter in (vocab.lex_attr_getters or {}).items():
            way, need, lists = CALL, getter, ()
            while type(need) is partial and need.func is unless_listed:
                need, more = need.args
                lists += more
            if lists and need is lex_attrs.lower:
                way, need = LISTED, lists
            elif type(getter) is FunctionType:
                way = WAYS.get(getter, CALL)
            elif type(getter) is partial and getter.func is lex_attrs.get_lang:
                way, need = CONSTANT, getter("")
            elif type(getter) is partial and getter.func is lex_attrs.is_stop:
                way, need = STOP, getter.keywords["stops"]
            else:
                need = getter
            self.attributes.push_back(attribute)
            self.ways.push_back(way)
            self.needs.append(need)

    cdef uint64_t add(self, str text) except? 0:
        """The id of a string, which is added to those of the vocab."""
        cdef uint64_t key = id_of(text)
        if self.strings._map.get(key) == NULL:
            self.strings.add(text)
        return key

    cdef const LexemeC* make(self, str word, uint64_t orth) except NULL:
        """Make the entry of a word that has none."""
        cdef bint[ADDRESS + 1] is_true
        cdef Py_ssize_t k, length = len(word)
        cdef LexemeC* lexeme = <LexemeC*>self.vocab.mem.alloc(1, sizeof(LexemeC))
        cdef str lower = word.lower()
        cdef uint64_t value
        cdef int way
        find_truth(word, is_true)
        lexeme.orth = self.add(word)
        lexeme.length = length
        lexeme.id = self.rows.get(orth, OOV_RANK) if self.rows else OOV_RANK
        for k in range(<Py_ssize_t>self.attributes.size()):
            way = self.ways[k]
            if way == LOWERED:
                value = orth if lower == word else self.add(lower)
            elif way == FIRST:
                value = self.add(word[:1])
            elif way == LAST:
                value = self.add(word[max(length - 3, 0):])
            elif way == SHAPE:
                value = self.add(word_shape(word))
            elif way == STOP:
                value = lower in self.needs[k]
            elif ALPHA <= way <= UPPER or (way >= MARK and not is_true[way]):
                value = is_true[way]
            else:
                found = self.found(way, self.needs[k], word, lower)
                if isinstance(found, str):
                    found = self.strings.add(found)
                if found is None:
                    continue
                value = found
            Lexeme.set_struct_attr(lexeme, <attr_id_t>self.attributes[k], value)
        self.vocab._add_lex_to_vocab(
            orth, lexeme, self.vocab.mem is not self.vocab._non_temp_mem
        )
        return lexeme

    cdef found(self, int way, need, str word, str lower):
        """The value of an attribute of a word, which may be a string or nothing."""
        if way == CONSTANT:
            return need
        if way != LISTED:
            return need(word)
        for listed in need:
            if word in listed:
                return listed[word]
        return lower


cdef void find_truth(str word, bint* is_true):
    """Find what is true of a word by its characters.

    Args:
        is_true: By the ways from ALPHA on; of MARK and ADDRESS, whether it may be.
    """
    cdef bint is_upper, is_lower, was_cased = False
    cdef bint has_upper = False, has_lower = False
    cdef Py_UCS4 c
    cdef int way
    for way in range(ALPHA, ADDRESS + 1):
        is_true[way] = way != ADDRESS
    for c in word:
        is_upper = c.isupper() or Py_UNICODE_ISTITLE(c)
        is_lower = c.islower()
        has_upper = has_upper or is_upper
        has_lower = has_lower or is_lower
        is_true[UPPER] = is_true[UPPER] and not (is_lower or Py_UNICODE_ISTITLE(c))
        if (is_upper and was_cased) or (is_lower and not was_cased):
            is_true[TITLE] = False
        was_cased = is_upper or is_lower
        if not c.isalpha():
            is_true[ALPHA] = False
        if not c.isdigit():
            is_true[DIGIT] = False
        if c > 127:
            is_true[ASCII] = False
        if c.isalpha() or c.isdecimal():
            is_true[MARK] = False
        elif c in u"./@":
            is_true[ADDRESS] = True
    is_true[LOWER] = has_lower and not has_upper
    is_true[TITLE] = is_true[TITLE] and (has_upper or has_lower)
    is_true[UPPER] = is_true[UPPER] and has_upper


def make_doc(
    Vocab vocab not None,
    list words not None: list[str],
    list spaces not None: list[bool],
) -> Doc:
    """A Doc of words, as `Doc(vocab, words=words, spaces=spaces)` makes it."""
    cdef Doc doc = Doc(vocab)
    cdef Entries entries = None
    cdef const LexemeC* lexeme
    cdef uint64_t orth
    cdef Py_ssize_t i
    cdef str word
    if len(words) != len(spaces):
        raise ValueError(f"{len(words)} words, and {len(spaces)} spaces")
    for i in range(len(words)):
        word = words[i]
        orth = id_of(word)
        lexeme = <const LexemeC*>vocab._by_orth.get(orth)
        if lexeme == NULL:
            if entries is None:
                entries = Entries(vocab)
            lexeme = entries.make(word, orth)
        doc.push_back(lexeme, <bint>spaces[i])
    return doc
