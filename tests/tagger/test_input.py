"""What the tagger reads of documents: the same as one by one, whitespace left out."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.tagging import TAGGER
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.systems.tagging import Tagging
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.columns import source_of
from spacy_dynoracle.tagger.input import WordBatch

TEMPLATES = FeatureTemplates(TAGGER)
SOURCES = tuple(source_of(column, "") for column in TEMPLATES.columns)
TEXTS = [["The", "old", "Gate"], [], ["\n"], ["A", " ", "path", "\n\n"], ["waters"]]


def docs_of(*vocabs):
    return [Doc(vocabs[i % len(vocabs)], words=words) for i, words in enumerate(TEXTS)]


def atoms(sentence):
    """All that the features see at the first word."""
    c = Tagging().initial(len(sentence))
    return Extractor(TEMPLATES).atom_values(c, sentence)


@pytest.mark.parametrize("n_vocabs", [1, 2])
def test_a_batch_is_read_as_its_documents_are(n_vocabs):
    docs = docs_of(*(spacy.blank("en").vocab for _ in range(n_vocabs)))
    batch = WordBatch(docs, SOURCES)
    for i, doc in enumerate(docs):
        tokens = AttributeTable([doc], SOURCES)
        words = np.flatnonzero(~tokens.is_space)
        assert batch.forms(i).tolist() == tokens.orth.tolist()
        expected = tokens.sentence(words)
        assert len(batch.sequences[i]) == len(expected)
        assert atoms(batch.sequences[i]) == atoms(expected)
        assert batch.words_of(i).tolist() == words.tolist()


def test_no_documents():
    batch = WordBatch([], SOURCES)
    assert batch.sequences == []
    assert batch.bounds == [0]


def test_unknown_sources():
    with pytest.raises(ValueError, match="'COLOUR' is unknown"):
        WordBatch(docs_of(spacy.blank("en").vocab), ("COLOUR",))


# ---- sequences -----------------------------------------------------------------------


def starting(words, starts):
    """A Doc. For each token 1 if a sentence starts there, -1 if none does, else 0."""
    doc = Doc(spacy.blank("en").vocab, words=words)
    for token, start in zip(doc, starts, strict=True):
        if start:
            token.is_sent_start = start == 1
    return doc


@pytest.mark.parametrize(
    ("words", "starts", "cuts"),
    [
        ("a b c d", [0, 0, 1, 0], [0, 2, 4]),
        ("a b c d", [1, -1, -1, 1], [0, 3, 4]),
        # Nothing is known of the starts, or there are none.
        ("a b c d", [0, 0, 0, 0], [0, 4]),
        ("a b c d", [1, -1, -1, -1], [0, 4]),
        # A start on whitespace moves to the next word, or to the end.
        ("a _ b c", [0, 1, 0, 0], [0, 1, 3]),
        ("a b c _", [0, 0, 0, 1], [0, 3]),
        ("_ a b", [1, -1, 1], [0, 1, 2]),
        ("_ _", [1, 1], [0]),
    ],
)
def test_documents_are_cut_at_sentence_starts(words, starts, cuts):
    doc = starting([" " if word == "_" else word for word in words.split()], starts)
    batch = WordBatch([doc], SOURCES, by_sentence=True)
    assert batch.cuts == cuts
    assert list(map(len, batch.sequences)) == np.diff(cuts).tolist()
    assert WordBatch([doc], SOURCES).cuts == [0, batch.word_bounds[-1]]


def test_sequences_do_not_cross_documents():
    docs = [starting(["a", "b"], [0, 0]), starting(["c", "d", "e"], [0, 0, 1])]
    assert WordBatch(docs, SOURCES, by_sentence=True).cuts == [0, 2, 4, 5]
