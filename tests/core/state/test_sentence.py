"""Sentences: matrices of attributes."""

import numpy as np
import pytest

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.state.sentence import Sentence, consecutive_sentences


@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (3, 2), (5, 0)])
def test_length(shape):
    assert len(Sentence(np.zeros(shape, dtype=np.uint64))) == shape[0]


def atoms(sentence):
    """The words and tags of a sentence of two words, as the extractor reads them."""
    extractor = Extractor(FeatureTemplates(["N0w.N0p.N1w.N1p"]))
    ((_, values),) = extractor.atom_values(ArcEager().initial(2), sentence)
    return values


def test_the_matrix_is_copied():
    matrix = np.array([[7, 1], [8, 2]], dtype=np.uint64)
    sentence = Sentence(matrix)
    before = atoms(sentence)
    matrix[0, 0] = 9
    assert atoms(sentence) == before
    after = atoms(Sentence(matrix))
    assert after[0] != before[0]
    assert after[1:] == before[1:]


def test_any_layout_in_memory():
    plain = np.array([[7, 1], [8, 2]], dtype=np.uint64)
    expected = atoms(Sentence(plain))
    assert atoms(Sentence(np.asfortranarray(plain))) == expected
    assert atoms(Sentence(np.repeat(plain, 3, axis=0)[::3])) == expected
    assert atoms(Sentence(np.repeat(plain, 2, axis=1)[:, ::2])) == expected
    plain.flags.writeable = False
    assert atoms(Sentence(plain)) == expected


def test_nullable_columns():
    """0 is nothing there, and a value like any other elsewhere; ROOT is nothing."""
    matrix = np.array([[0, 0], [8, 8]], dtype=np.uint64)
    assert 0 not in atoms(Sentence(matrix))
    nothing, tag, word, other_tag = atoms(Sentence(matrix, nullable=[0]))
    assert nothing == 0
    assert (tag, word, other_tag) == atoms(Sentence(matrix))[1:]
    assert atoms(Sentence(matrix, [0, 1]))[:2] == (0, 0)
    extractor = Extractor(FeatureTemplates(["S0w.S0p"]))
    c = ArcEager(root="first").initial(2)
    ((_, (word, tag)),) = extractor.atom_values(c, Sentence(matrix, [1]))
    assert word != 0
    assert tag == 0


@pytest.mark.parametrize("column", [-1, 2, 10**6])
def test_no_such_column(column):
    with pytest.raises(ValueError, match=f"no column {column} among 2"):
        Sentence(np.zeros((1, 2), dtype=np.uint64), nullable=[column])


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((2, 2), dtype=np.int32),
        np.zeros((2, 2), dtype=np.float64),
        np.zeros(4, dtype=np.uint64),
    ],
    ids=["32 bits", "floats", "one dimension"],
)
def test_other_types_and_shapes(matrix):
    with pytest.raises(ValueError, match="Buffer"):
        Sentence(matrix)


def test_a_sentence_stays_what_it_is():
    sentence = Sentence(np.array([[7, 1], [8, 2]], dtype=np.uint64))
    before = atoms(sentence)
    with pytest.raises(TypeError, match="another"):
        sentence.__init__(np.array([[9, 1], [9, 2]], dtype=np.uint64))
    assert atoms(sentence) == before


# ---- several sentences ---------------------------------------------------------------


@pytest.mark.parametrize("nullable", [[], [0], [1, 0]])
def test_consecutive_sentences(nullable):
    """Rows before, between and behind the sentences belong to them as stated."""
    matrix = np.arange(16, dtype=np.uint64).reshape(8, 2) // np.uint64(3)
    found = consecutive_sentences(matrix[:, ::-1], [1, 3, 3, 5, 7], nullable)
    assert list(map(len, found)) == [2, 0, 2, 2]
    for sentence, start in zip([found[0], *found[2:]], (1, 3, 5), strict=True):
        alone = Sentence(matrix[start : start + 2, ::-1], nullable)
        assert atoms(sentence) == atoms(alone)
    assert consecutive_sentences(matrix, [0]) == []
    assert consecutive_sentences(matrix, []) == []


@pytest.mark.parametrize("bounds", [[0, 5], [-1, 2], [3, 2], [0, 2, 1]])
def test_bounds_that_are_none(bounds):
    with pytest.raises(ValueError, match="there are no rows"):
        consecutive_sentences(np.zeros((4, 2), dtype=np.uint64), bounds)


def test_sentences_without_such_a_column():
    with pytest.raises(ValueError, match="no column 2 among 2"):
        consecutive_sentences(np.zeros((4, 2), dtype=np.uint64), [0, 4], [2])
