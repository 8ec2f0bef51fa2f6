"""Folds: how data are cut, and work on folds in one process or several."""

import operator

import joblib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle.util.folds import check_n_folds, cut_into_folds, fold_results
from spacy_dynoracle.util.workers import _in_waves


@given(st.data())
@settings(max_examples=200)
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


@pytest.mark.parametrize("n_folds", [1, 11])
def test_impossible_numbers_of_folds(n_folds):
    with pytest.raises(ValueError, match=f"{n_folds} folds of 10 documents"):
        check_n_folds(n_folds, 10)


class Times:
    """A task whose result is the number of the fold times a number."""

    made = 0

    def __init__(self, factor):
        Times.made += 1
        self.factor = factor

    def __call__(self, number):
        return self.factor * number


def test_a_task_is_made_once_and_results_are_in_order():
    Times.made = 0
    assert list(fold_results(Times, (3,), [2, 0, 1], 1)) == [6, 0, 3]
    assert Times.made == 1
    assert list(fold_results(Times, (3,), [], 2)) == []
    assert Times.made == 1


def test_results_of_processes_are_in_order():
    """The task is one that every process can import: an attribute of the number."""
    found = fold_results(operator.attrgetter, ("numerator",), [3, 1, 2], 2)
    assert list(found) == [3, 1, 2]


def test_other_backends_of_joblib():
    """Also one that returns all results at once."""
    with joblib.parallel_config(backend="threading"):
        found = fold_results(operator.attrgetter, ("numerator",), [3, 1, 2], 2)
        assert list(found) == [3, 1, 2]
    with joblib.Parallel(n_jobs=2, backend="threading") as parallel:
        calls = (joblib.delayed(abs)(-i) for i in range(7))
        assert list(_in_waves(parallel, calls, 3)) == list(range(7))
