"""Segments, and the records of preset boundaries, against their definitions."""

from itertools import pairwise

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_dynoracle import ArcEager, Extractor, FeatureTemplates
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.preset_boundaries import KEY, preset_records, recall
from spacy_dynoracle.doc.segments import segments

VOCAB = spacy.blank("en").vocab
# Of each token: whether it is whitespace, and what is known of a sentence start.
TOKENS = st.lists(st.tuples(st.booleans(), st.sampled_from([True, False, None])))


def make_doc(tokens):
    """A Doc. spaCy does not take an empty list of sentence starts."""
    starts = [start for _, start in tokens] or None
    words = ["\n" if is_space else f"w{i}" for i, (is_space, _) in enumerate(tokens)]
    return Doc(VOCAB, words=words, sent_starts=starts)


def table_of(docs):
    return AttributeTable(docs, ["ORTH"])


def cut(doc):
    """The segments of a document as lists of words.

    Each word is a pair: its token, and whether no sentence may start there.
    """
    found, pending = [], False
    for token in doc:
        starts = token.is_sent_start is True and token.i > 0
        if token.is_space:
            pending = pending or starts
            continue
        if pending or starts or not found:
            found.append([])
        found[-1].append((token.i, not pending and token.is_sent_start is False))
        pending = False
    return found


def known_of(doc):
    """The words behind the first one of which something is known of a sentence start.

    A start at whitespace is known of the next word.
    """
    words = [token for token in doc if not token.is_space]
    found = []
    for before, word in pairwise(words):
        between = doc[before.i + 1 : word.i]
        starts = any(token.is_sent_start for token in between)
        if starts or word.is_sent_start is not None:
            found.append(word)
    return found


def expected(docs, sentences):
    """Document, words, whether it has one root and forbidden starts of each segment."""
    before = 0
    for number, doc in enumerate(docs):
        parts = cut(doc)
        if sentences == "doc":
            parts = [[word for part in parts for word in part]] if parts else []
        for part in parts:
            words = [before + token for token, _ in part]
            forbidden = [False, *(inner for _, inner in part[1:])]
            single_root = sentences != "predict" or (
                bool(known_of(doc)) and all(forbidden[1:])
            )
            if sentences == "doc":
                forbidden = [False] * len(part)
            yield number, words, single_root, forbidden
        before += len(doc)


def seen(segment):
    inner = np.zeros(len(segment), dtype=bool)
    if segment.inner is not None:
        inner = segment.inner
    return segment.doc, segment.words.tolist(), inner.tolist()


def first_word(sentence):
    """What a feature sees of the first word."""
    c = ArcEager().initial(len(sentence))
    return Extractor(FeatureTemplates(["N0w"])).atom_values(c, sentence)


@pytest.mark.parametrize("sentences", ["predict", "preset", "doc"])
@given(drawn=st.lists(TOKENS, max_size=6))
def test_segments_of_a_batch(drawn, sentences):
    docs = [make_doc(tokens) for tokens in drawn]
    tokens = table_of(docs)
    found = segments(tokens, sentences)
    wanted = list(expected(docs, sentences))
    assert [seen(s) for s in found] == [
        (d, words, inner) for d, words, _, inner in wanted
    ]
    for segment, (_, words, single_root, _) in zip(found, wanted, strict=True):
        assert segment.single_root == single_root
        assert len(segment.sentence) == len(words)
        assert first_word(segment.sentence) == first_word(
            tokens.sentence(segment.words)
        )


@given(drawn=st.lists(TOKENS, max_size=6))
def test_records_of_preset_boundaries(drawn):
    docs = [make_doc(tokens) for tokens in drawn]
    tokens = table_of(docs)
    records = preset_records(tokens)
    given_starts = [tokens.starts[tokens.part(i)].tolist() for i in range(len(docs))]
    assert tokens.docs_with_starts() == [
        i for i, starts in enumerate(given_starts) if any(starts[1:])
    ]
    for i, (doc, record) in enumerate(zip(docs, records, strict=True)):
        assert bool(record) == any(given_starts[i][1:])
        doc.user_data[KEY] = record
        kept = recall(doc, tokens.characters[tokens.part(i)])
        assert kept.tolist() == ([0, *given_starts[i][1:]] if len(doc) else [])
