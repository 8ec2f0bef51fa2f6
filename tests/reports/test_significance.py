"""The permutation test agrees with the enumeration of all permutations."""

from itertools import product

import numpy as np
import pytest

from spacy_dynoracle.reports.significance import permutation_test


def exact(differences):
    """The share of all ways to swap outputs that are at least as far from zero."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(s >= observed - 1e-12 for s in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [
        [1, 1, 1, 1],
        [3, -1, 0, 2, 1, -1, 1, 2],
        [5, 4, 3, 2, 1, 0, 0, 1, -2],
        [0.1, 0.2, 0.3, -0.1, 0.2],
    ],
)
def test_agrees_with_the_enumeration_of_all_permutations(differences):
    estimate = permutation_test(differences, repetitions=100_000)
    assert estimate == pytest.approx(exact(differences), abs=0.006)


def test_smallest_p_value_is_not_zero():
    assert permutation_test([1] * 100, repetitions=999) == 1 / 1000


def test_systems_without_a_difference_are_not_different():
    assert permutation_test([0, 0, 0]) == 1.0
    assert permutation_test([]) == 1.0
    assert permutation_test([1, -1]) == 1.0


def test_order_of_the_systems_does_not_matter():
    differences = np.array([2, -1, 3, 0, 1])
    assert permutation_test(differences) == permutation_test(-differences)
