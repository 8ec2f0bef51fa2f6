"""Gains on several treebanks are tested one by one and as an average."""

import numpy as np
import pytest

from ..gains import AVERAGE, Paired, compare, holm


def test_holm_multiplies_the_smallest_by_their_number():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_treebanks_count_the_same_in_the_average_whatever_their_size():
    small = Paired(np.array([1] * 10), 100)
    large = Paired(np.array([-1] * 10), 1000)
    found = compare({"small": small, "large": large})
    assert found["small"].points == pytest.approx(10)
    assert found["large"].points == pytest.approx(-1)
    assert found[AVERAGE].points == pytest.approx(4.5)
    # Ten sentences that agree: 2 of 1024 permutations.
    assert found["small"].p == pytest.approx(2 / 1024, abs=0.002)
    assert found["small"].corrected == pytest.approx(2 * found["small"].p)
    assert found["small"].significant


def test_no_average_of_what_is_not_done():
    one = Paired(np.array([1, 1]), 10)
    assert set(compare({"A": one, "B": None})) == {"A"}
    assert set(compare({"A": one})) == {"A"}
