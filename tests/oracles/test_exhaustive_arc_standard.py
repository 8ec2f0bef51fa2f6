"""What holds for arc-standard alone: it is not arc-decomposable; the table of GSS14.

Goldberg & Nivre (2013, TACL 1), section 4.3; Goldberg, Sartorio & Satta (2014, TACL 2).
"""

import numpy as np
import pytest

from .brute_force import BruteForce, GoldTrees
from .cases import CASES, case_of, every_size
from .reference_systems import ROOT

ROOT_FIRST = case_of("arc-standard", "first")


def undecomposable(case, n):
    """In how many of all (configuration, tree) arcs reachable one by one conflict."""
    brute, failing, pairs = BruteForce(case.graph(n), GoldTrees(case.trees(n))), 0, 0
    for c in brute.graph.successors:
        arcs = brute.graph.derivable(c) | set(case.reference.arcs(c))
        single = brute.golds.count(arcs)
        failing += np.count_nonzero(single != brute.best(c))
        pairs += single.size
    return failing, pairs


@pytest.mark.parametrize(
    ("n", "share"),
    [
        (1, (0, 4)),
        (2, (1, 33)),
        (3, (23, 492)),
        (4, (522, 10_120)),
        (5, (12_846, 248_976)),
    ],
)
def test_share_of_undecomposable(n, share):
    assert undecomposable(ROOT_FIRST, n) == share


@every_size(
    range(1, 6), cases=[case for case in CASES if case.system != "arc-standard"]
)
def test_other_systems_are_arc_decomposable(case, n):
    assert undecomposable(case, n)[0] == 0


def test_smallest_example_of_undecomposable():
    """GN13 4.3: with a, b, c on the stack (c, b) and (b, a) exclude each other."""
    c, heads = ((ROOT, 1, 2, 3), (), (None, None, None)), (2, 3, 0)
    brute = BruteForce(ROOT_FIRST.graph(3), GoldTrees([heads]))
    assert {(3, 2), (2, 1), (ROOT, 3)} <= brute.graph.derivable(c)
    assert brute.best(c) == [2]


# The table
