"""Where sentences start that are annotated in part."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_dynoracle.doc.reference import (
    ReferenceArrays,
    group_sentences,
    mend_sentence_starts,
)

VOCAB = spacy.blank("xx").vocab
# Two sentences: heads (words from 0), and blanks between, before and after them.
WORDS = ["She", "planted", "beans", ".", "Two", "cats", "sleep", "."]
HEADS = [1, 1, 1, 1, 5, 6, 6, 6]


def doc_of(unknown=(), words=WORDS, heads=HEADS):
    """A Doc in which the heads of some words are unknown."""
    return Doc(
        VOCAB,
        words=words,
        heads=[None if i in unknown else head for i, head in enumerate(heads)],
        deps=["" if i in unknown else "x" for i in range(len(words))],
    )


def starts_of(doc):
    return [i for i, start in enumerate(ReferenceArrays(doc).starts()) if start]


def test_all_heads_known():
    assert starts_of(doc_of()) == [0, 4]


@pytest.mark.parametrize(
    ("unknown", "expected"),
    [
        # A word that is not next to the boundary.
        ({0}, [0, 4]),
        ({2, 5}, [0]),  # "cats" is above "Two", which is next to it.
        ({7}, [0, 4]),
        # Next to the boundary, or above a word that is.
        ({3}, [0]),
        ({4}, [0]),
        ({1}, [0]),
        ({6}, [0]),
    ],
)
def test_some_heads_unknown(unknown, expected):
    assert starts_of(doc_of(unknown)) == expected


@given(st.sets(st.integers(0, len(WORDS) - 1), max_size=len(WORDS) - 1))
def test_no_start_is_wrong(unknown):
    assert set(starts_of(doc_of(unknown))) <= {0, 4}


def test_spacy_finds_other_starts():
    """If it does not any more, there is nothing to mend."""
    doc = doc_of({0})
    assert [sent.start for sent in doc.sents] == [0, 1, 4]
    mend_sentence_starts(doc)
    assert [sent.start for sent in doc.sents] == [0, 4]
    assert [t.head.i for t in doc] == [0, *HEADS[1:]]
    assert not doc[0].has_dep()


def test_whole_trees_are_left_alone():
    doc = doc_of()
    before = doc.to_bytes()
    mend_sentence_starts(doc)
    assert doc.to_bytes() == before


def test_blanks_start_no_sentence():
    words = ["\n", *WORDS[:4], "\n", *WORDS[4:], "\n"]
    heads = [1, 2, 2, 2, 2, 6, 7, 8, 8, 8, 8]
    doc = doc_of(words=words, heads=heads)
    assert [t.i for t in doc if t.is_sent_start] == [0, 5]
    assert starts_of(doc) == [1, 6]
    assert starts_of(doc_of({9}, words, heads)) == [1, 6]


def test_boundaries_without_trees():
    doc = Doc(VOCAB, words=WORDS, sent_starts=[i in (0, 4) for i in range(len(WORDS))])
    assert starts_of(doc) == [0, 4]
    assert ReferenceArrays(doc).share_known == 0
    assert not ReferenceArrays(doc).is_partial


def test_cycles_are_no_sentences():
    doc = doc_of({7}, heads=[1, 0, 1, 1, 5, 6, 6, 6])
    assert starts_of(doc) == [0]


@pytest.mark.parametrize("words", [[], ["\n"]])
def test_no_words(words):
    doc = Doc(VOCAB, words=words)
    assert starts_of(doc) == []
    assert ReferenceArrays(doc).share_known == 1


# ---- documents of several sentences --------------------------------------------------


def sentence(*known):
    heads = [0 if k else None for k in known]
    deps = ["x" if k else "" for k in known]
    if not any(known):
        return Doc(VOCAB, words=["a"] * len(known))
    return Doc(VOCAB, words=["a"] * len(known), heads=heads, deps=deps)


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ("wwwww", ["ww", "ww", "w"]),
        ("wpwww", ["p", "ww", "ww"]),
        ("wnwnw", ["ww", "nn", "w"]),
        ("ppw", ["p", "p", "w"]),
        ("nnwwn", ["nn", "ww", "n"]),
        ("", []),
    ],
)
def test_partly_annotated_sentences_stay_alone(kinds, expected):
    """w: whole, p: partial, n: without any head."""
    makers = {"w": (True, True), "p": (True, False), "n": (False, False)}
    docs = [sentence(*makers[kind]) for kind in kinds]
    lengths = [len(doc) // 2 for doc in group_sentences(docs, 2)]
    assert lengths == [len(group) for group in expected]


def test_sentences_without_a_blank_between_them_get_none():
    vocab = spacy.blank("xx").vocab
    docs = [Doc(vocab, words=["x", "."], spaces=[False, i > 0]) for i in range(3)]
    for doc in docs:
        doc[1].is_sent_start = False
    (joined,) = group_sentences(docs, 3)
    assert joined.text == "x.x. x. "
    assert starts_of(joined) == [0, 2, 4]


def test_joined_sentences_are_still_known():
    (doc,) = group_sentences([sentence(True, True)] * 3, 5)
    assert starts_of(doc) == [0, 2, 4]
