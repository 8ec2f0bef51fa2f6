"""From tokens to words in one pass, against two passes that are easy to read."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_dynoracle.tokenizer import WordTokenizer
from spacy_dynoracle.tokenizer.boundaries import ends_of
from spacy_dynoracle.treebank import multiword

# "_" joins words that stand together; "=" joins those of a multiword token.
TEXTS = (
    "they did=n't e-mail_, he ca=n't",
    "we did=n't see 713-646-3393_!",
    "its cat saw its_. I think it=s gone_!",
    "the dog_, it=s here_: 345-853-3989",
    "a=c ca=n't do it=s own",
    "b=c and d=c and/or e=c_.",
)


def reference(vocab, text):
    words, spaces, found = [], [], []
    for part in text.split(" "):
        for token in part.split("_"):
            pieces = token.split("=")
            if len(pieces) > 1:
                found.append((len(words), pieces))
            words += pieces
            spaces += [False] * len(pieces)
        spaces[-1] = True
    doc = Doc(vocab, words=words, spaces=spaces)
    multiword.mark(doc, found)
    return doc


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.tokenizer = WordTokenizer(nlp.tokenizer)
    docs = [reference(nlp.vocab, text) for text in TEXTS]
    nlp.tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs])
    assert nlp.tokenizer.boundaries
    assert nlp.tokenizer.splitter
    return nlp


def corrected(tokenizer, doc):
    """The first pass: the words of each stretch, with whether a blank follows."""
    found, stretch = [], []

    def end(blank):
        if stretch:
            text = "".join(stretch)
            ends = tokenizer.boundaries.find(text, ends_of(stretch))
            for start, stop in zip((0, *ends), (*ends, len(text)), strict=True):
                found.append((text[start:stop], False))
            found[-1] = (found[-1][0], blank)
            stretch.clear()

    for token in doc:
        if token.is_space:
            end(False)
            found.append((token.text, bool(token.whitespace_)))
        else:
            stretch.append(token.text)
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


def texts(n):
    """Texts of parts of the treebank, with other blanks than there."""
    random_ = random.Random(7)
    parts = [p.replace("_", "").replace("=", "") for t in TEXTS for p in t.split(" ")]
    for _ in range(n):
        chosen = random_.choices(parts, k=random_.randrange(12))
        blanks = random_.choices((" ", " ", " ", "  ", "\n", "", "-"), k=len(chosen))
        yield "".join(a + b for a, b in zip(chosen, blanks, strict=True))


def test_one_pass_finds_what_two_passes_find(nlp):
    n_split = 0
    for text in [*texts(400), "", " ", "\n\n a"]:
        doc = nlp.make_doc(text)
        words, tokens = defined(nlp.tokenizer, text)
        assert [(t.text, bool(t.whitespace_)) for t in doc] == words
        assert list(multiword.spans(doc)) == tokens
        assert doc.text == text
        n_split += len(tokens)
    assert n_split > 100


def test_tokens_that_are_right_stay_and_lose_the_norm_of_the_tokenizer(nlp):
    """The tokenizer cuts "can't" as the treebank does, but NORM is for words of
    multiword tokens that differ from the text."""
    text = "they can't"
    before = nlp.tokenizer.tokenizer(text)
    doc = nlp.make_doc(text)
    assert [t.text for t in before] == [t.text for t in doc] == ["they", "ca", "n't"]
    assert before[2].norm_ == "not"
    assert list(multiword.spans(doc)) == [(1, 3)]
    assert [multiword.word_form(t) for t in doc] == ["they", "ca", "n't"]


def test_words_that_are_not_split_here_keep_the_doc(nlp):
    tokens = nlp.tokenizer.tokenizer("its cat")
    assert nlp.tokenizer.splitter.can_split("its")
    assert nlp.tokenizer._rewriter(tokens) is tokens
