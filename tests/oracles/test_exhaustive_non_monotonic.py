"""What holds for non-monotonic arc-eager alone: reachable arcs, and what is correct.

Honnibal & Johnson (2015). That costs are sums of single arcs is what `test_exhaustive`
proves.
"""

from itertools import combinations, permutations, product

import pytest

from spacy_dynoracle import ArcEager, DynamicOracle, GoldTree, NonMonotonicArcEager

from ..core.builders import all_trees
from .brute_force import BruteForce, GoldTrees
from .cases import case_of, every_size
from .comparison import compare
from .reference_systems import ROOT

ANY = [case_of("non-monotonic", root) for root in ("last", "first")]


@every_size(range(1, 6), cases=ANY)
def test_reachable_arcs(case, n):
    """One in the buffer, one not reduced; or the right one on the stack goes back."""
    graph = case.graph(n)
    for c in graph.successors:
        stack, buffer, heads, marked = c
        arcs = {*permutations(buffer, 2), *product(stack, buffer)}
        arcs |= set(product(buffer, stack))
        for left, right in combinations(stack, 2):
            if heads[right - 1] is None and right not in marked:
                arcs |= {(left, right), (right, left)}
        assert graph.derivable(c) == {(h, d) for h, d in arcs if d != ROOT}


@pytest.mark.parametrize("n", range(1, 6))
def test_nothing_needs_repair_on_paths_of_arc_eager(n):
    """There the correct transitions are those of arc-eager: a tree is derived without
    UNSHIFT and without replacing a head.
    """
    eager, system = ArcEager("last"), NonMonotonicArcEager("last")
    oracle = DynamicOracle()
    for heads in all_trees(n, projective=True):
        gold = GoldTree(heads)
        agenda = [(eager.initial(n), system.initial(n))]
        while agenda:
            plain, c = agenda.pop()
            correct = oracle.correct(system, c, gold)
            assert correct == oracle.correct(eager, plain, gold)
            for name in correct:
                after = plain.copy(), c.copy()
                eager.apply(after[0], name)
                system.apply(after[1], name)
                agenda.append(after)


def test_repairs_are_correct_where_they_win_an_arc():
    """2 is shifted although 1 is its head; or becomes a dependent of 1, not of 3."""
    system, oracle = NonMonotonicArcEager("last"), DynamicOracle()
    c = system.configuration(3, stack=[1, 2], buffer=[3, ROOT])
    gold = GoldTree([0, 1, 1])
    assert system.costs(c, gold) == {"SHIFT": 0, "LEFT": 1, "RIGHT": 1, "UNSHIFT": 0}
    assert oracle.correct(system, c, gold) == {"UNSHIFT"}
    c = system.configuration(3, stack=[1, 2], buffer=[3, ROOT], arcs=[(1, None, 2)])
    gold = GoldTree([0, 3, 1])
    assert system.costs(c, gold) == {"SHIFT": 0, "REDUCE": 1, "LEFT": 0, "RIGHT": 2}
    assert oracle.correct(system, c, gold) == {"LEFT"}


def test_costs_that_leave_out_repairs_are_approximate():
    """As the authors' code counts: SHIFT loses the arcs between b and the stack, and
    RIGHT a later gold head of b.
    """
    case = case_of("non-monotonic", "last")
    view = case.view()

    def costs_at(c):
        stack, (b, *beta), *_, marked = c
        right = view.costs(view.build(c))

        def approximate(gold):
            costs, head_of = right(gold), (None, *gold.heads)
            if "SHIFT" in costs:
                costs["SHIFT"] = sum(head_of[k] == b or head_of[b] == k for k in stack)
            if "RIGHT" in costs and b not in marked:
                costs["RIGHT"] += head_of[b] != ROOT and head_of[b] in beta
            return costs

        return approximate

    brute = BruteForce(case.graph(3), GoldTrees(case.trees(3)))
    assert compare(brute, costs_at)[:2] == (2_544, 68)
