"""From tokens to words in one pass, against two passes that are easy to read."""

from spacy.tokens import Doc

from spacy_dynoracle.tokenizer.boundaries import ends_of
from spacy_dynoracle.treebank import multiword

from .builders import texts


def corrected(tokenizer, doc):
    """The first pass: the words of each pretoken, with whether a blank follows."""
    found, pretoken = [], []

    def end(blank):
        if pretoken:
            text = "".join(pretoken)
            asks = tokenizer._reader.rewriter.rules.are_needed(text)
            by_rules = ends_of(pretoken) if asks else None
            ends = tokenizer.boundaries.find(text, by_rules)
            for start, stop in zip((0, *ends), (*ends, len(text)), strict=True):
                found.append((text[start:stop], False))
            found[-1] = (found[-1][0], blank)
            pretoken.clear()

    for token in doc:
        if token.is_space:
            end(False)
            found.append((token.text, bool(token.whitespace_)))
        else:
            pretoken.append(token.text)
            if token.whitespace_:
                end(True)
    end(False)
    return found


def defined(tokenizer, text):
    """The words of a text, whether a blank follows each, and the multiword tokens."""
    words = corrected(tokenizer, tokenizer.tokenizer(text))
    texts = [word for word, _ in words]
    splits = dict(tokenizer.splitter.find(texts, range(len(texts))))
    found, tokens = [], []
    for i, (word, blank) in enumerate(words):
        pieces = splits[i].words(word)[0] if i in splits else [word]
        if i in splits:
            tokens.append((len(found), len(found) + len(pieces)))
        found += [(piece, False) for piece in pieces]
        found[-1] = (pieces[-1], blank)
    return found, tokens


def test_one_pass_finds_what_two_passes_find(nlp):
    n_split = 0
    for text in [*texts(400), "", " ", "\n\n a"]:
        doc = nlp.make_doc(text)
        words, tokens = defined(nlp.tokenizer, text)
        assert [(t.text, bool(t.whitespace_)) for t in doc] == words
        assert [found[:2] for found in multiword.spans(doc)] == tokens
        assert doc.text == text
        n_split += len(tokens)
    assert n_split > 100


def test_tokens_that_are_right_keep_the_norm_of_the_tokenizer(nlp):
    """The tokenizer cuts "can't" as the treebank does."""
    text = "they can't"
    before = nlp.tokenizer.tokenizer(text)
    doc = nlp.make_doc(text)
    assert [t.text for t in before] == [t.text for t in doc] == ["they", "ca", "n't"]
    assert before[2].norm_ == "not"
    assert [t.norm_ for t in doc] == [t.norm_ for t in before]
    assert list(multiword.spans(doc)) == [(1, 3, ["ca", "n't"])]
    assert multiword.word_forms(doc) == ["they", "ca", "n't"]


def test_words_that_are_not_split_here_keep_the_doc(nlp):
    tokens = nlp.tokenizer.tokenizer("its cat")
    assert nlp.tokenizer.splitter.can_split("its")
    assert nlp.tokenizer._reader.rewriter(tokens) is tokens


def test_words_have_the_tag_of_the_token_in_which_they_begin(nlp):
    """Some tokenizers tag, and the treebank joins and cuts their tokens."""
    tokens = Doc(nlp.vocab, ["e", "-", "mail", "see", ".I!"], [0, 0, 1, 0, 0])
    for token in tokens:
        token.tag_ = token.text
    doc = nlp.tokenizer._reader.rewriter(tokens)
    pairs = [("e-mail", "e"), ("see", "see"), (".", ".I!"), ("I", ".I!"), ("!", ".I!")]
    assert [(word.text, word.tag_) for word in doc] == pairs
