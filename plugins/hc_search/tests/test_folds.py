"""Work on folds in one process or several."""

import operator

from dynoracle_hcsearch.folds import fold_results


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
