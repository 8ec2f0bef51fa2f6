"""What holds for arc-eager alone: reachable arcs, and the misprints in its formulas.

Goldberg & Nivre (2013, TACL 1), section 4.5.
"""

from itertools import product

import pytest

from spacy_dynoracle import GoldTree

from .brute_force import BruteForce, GoldTrees
from .cases import case_of, cases_of
from .reference_systems import ROOT

every_case = pytest.mark.parametrize("case", cases_of("arc-eager"), ids=str)
ROOT_LAST = case_of("arc-eager", "last")


@every_case
@pytest.mark.parametrize("n", range(1, 6))
def test_reachable_arcs(case, n):
    """GN13 4.5, and (ROOT, d) for headless d where words are attached at the end."""
    graph = case.graph(n)
    for c in graph.successors:
        stack, buffer, heads = c
        headless = [d for d in stack if d != ROOT and heads[d - 1] is None]
        arcs = {(h, d) for h in buffer for d in buffer if h != d}
        arcs |= set(product(stack, buffer)) | set(product(buffer, headless))
        if case.root != "last":
            arcs |= {(ROOT, d) for d in (*buffer, *headless)}
        assert graph.derivable(c) == {(h, d) for h, d in arcs if d != ROOT}


def costs_of(c, heads):
    """Costs of brute force and of the package in c, ROOT last."""
    brute = BruteForce(ROOT_LAST.graph(len(heads)), GoldTrees([heads]))
    view = ROOT_LAST.view()
    package = view.costs(view.build(c))(GoldTree(heads))
    return {name: int(cost[0]) for name, cost in brute.costs(c).items()}, package


@pytest.mark.parametrize(
    ("c", "heads", "name", "cost"),
    [
        (((1,), (2, ROOT), (None, None)), (2, 0), "RIGHT", 2),
        (((1, 2), (3, ROOT), (None, None, None)), (0, 1, 2), "LEFT", 1),
    ],
)
def test_smallest_examples_of_the_misprint(c, heads, name, cost):
    """As printed, each would be one less."""
    brute, package = costs_of(c, heads)
    assert brute[name] == package[name] == cost


def test_dependent_with_a_head_is_not_lost_again():
    """GN13 footnote 11: (3, 2) was lost when 2 became a dependent of 1."""
    c, heads = ((1, 2), (3, ROOT), (None, 1, None)), (3, 3, 0)
    brute, package = costs_of(c, heads)
    assert brute == package == {"SHIFT": 1, "REDUCE": 0, "RIGHT": 2}
