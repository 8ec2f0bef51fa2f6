import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from spacy_dynoracle.doc.tables import count_nonzero, place_trees

IDS = np.array([70, 71, 72], dtype=np.uint64)
ROOT_ID = 99


def int32(*values):
    return np.array(values, dtype=np.int32)


def place(table, words, lengths, heads, labels):
    place_trees(table, np.array(words, dtype=np.int64), lengths, heads, labels, IDS, 99)


@given(
    arrays(np.uint64, array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 2))
)
def test_values_are_counted_by_column(table):
    assert count_nonzero(table) == np.count_nonzero(table, axis=0).tolist()


def test_trees_are_placed_around_tokens_that_are_no_words():
    table = np.full((6, 2), 5, dtype=np.uint64)
    heads, labels = int32(2, 0, 0, 1), int32(0, -1, 1, -1)
    place(table, [0, 2, 3, 5], [2, 2], heads, labels)
    # The second word is a root without a label; the last one is not a root.
    assert table[:, 0].view(np.int64).tolist() == [2, 5, 0, 0, 5, -2]
    assert table[:, 1].tolist() == [70, 5, ROOT_ID, 71, 5, 72]


@pytest.mark.parametrize(
    ("words", "lengths", "heads", "labels"),
    [
        ([0, 1], [1], int32(0, 0), int32(0, 0)),
        ([0, 1], [2], int32(0), int32(0, 0)),
        ([0, 1], [2], int32(0, 0), int32(0)),
        ([0, 1], [3, -1], int32(0, 0), int32(0, 0)),
        ([0, 9], [2], int32(0, 0), int32(0, 0)),
        ([-1, 1], [2], int32(0, 0), int32(0, 0)),
        ([0, 1], [1, 1], int32(0, 2), int32(0, 0)),
        ([0, 1], [2], int32(0, -1), int32(0, 0)),
        ([0, 1], [2], int32(0, 0), int32(0, 3)),
        ([0, 1], [2], int32(0, 0), int32(-2, 0)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(words, lengths, heads, labels):
    table = np.zeros((3, 2), dtype=np.uint64)
    with pytest.raises(ValueError, match="word"):
        place(table, words, lengths, heads, labels)


def test_a_table_of_another_width_is_refused():
    with pytest.raises(ValueError, match="two columns"):
        place(np.zeros((1, 3), np.uint64), [0], [1], int32(0), int32(0))
