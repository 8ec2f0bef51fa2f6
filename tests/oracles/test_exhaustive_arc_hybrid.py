"""What holds for arc-hybrid alone: reachable arcs, and a single root with ROOT last.

Goldberg & Nivre (2013, TACL 1), section 4.5.
"""

from itertools import pairwise, product

import pytest

from spacy_dynoracle import GoldTree

from .brute_force import BruteForce, GoldTrees
from .cases import case_of, cases_of
from .reference_systems import ROOT

every_case = pytest.mark.parametrize("case", cases_of("arc-hybrid"), ids=str)


@every_case
@pytest.mark.parametrize("n", range(1, 6))
def test_reachable_arcs(case, n):
    """GN13 4.5; ROOT as only head, and last, takes the bottom of the stack alone."""
    graph = case.graph(n)
    for c in graph.successors:
        stack, buffer, _ = c
        arcs = set(product(buffer, buffer)) | set(product(stack, buffer))
        arcs |= set(product(buffer, stack)) | set(pairwise(stack))
        if case.single_root and case.root == "last":
            arcs -= {(ROOT, d) for d in stack[1:]}
        expected = {(h, d) for h, d in arcs if d not in (ROOT, h)}
        assert graph.derivable(c) == expected


def test_smallest_example_of_a_single_root():
    """After SHIFT 2 stands above 1 and can no longer be the one word below ROOT."""
    case = case_of("arc-hybrid", "last", single_root=True)
    c, heads = ((1,), (2, ROOT), (None, None)), (2, 0)
    golds = GoldTrees([heads])
    brute = BruteForce(case.graph(2), golds).costs(c)
    assert {name: int(cost[0]) for name, cost in brute.items()} == {
        "SHIFT": 2,
        "LEFT": 0,
    }
    view = case.view()
    assert view.costs(view.build(c))(GoldTree(heads)) == {"SHIFT": 2, "LEFT": 0}
