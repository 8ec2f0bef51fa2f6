"""Data are cut into folds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle.util.folds import cut_into_folds


@given(st.data())
@settings(max_examples=5 * settings().max_examples)
def test_cut(data):
    lengths = data.draw(st.lists(st.integers(1, 30), min_size=2, max_size=30))
    n_folds = data.draw(st.integers(2, len(lengths)))
    folds = cut_into_folds(lengths, n_folds)
    assert [i for fold in folds for i in fold] == list(range(len(lengths)))
    assert len(folds) == n_folds
    assert all(len(fold) > 0 for fold in folds)


def test_cut_into_equal_parts():
    assert cut_into_folds([5] * 10, 5) == [range(i, i + 2) for i in range(0, 10, 2)]
    assert cut_into_folds([1, 1, 1, 97], 2) == [range(3), range(3, 4)]
    assert cut_into_folds([0, 0, 0], 3) == [range(1), range(1, 2), range(2, 3)]
