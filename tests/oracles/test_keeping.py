"""Transitions that keep given arcs: followed exhaustively, they lead to every tree that
has these arcs and to no other, and never into a dead end.
"""

import pytest

from spacy_dynoracle import (
    ArcEager,
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    Covington,
    EasyFirst,
    GoldTree,
    NonMonotonicArcEager,
)
from spacy_dynoracle.core.state.configuration import RootRule

from .brute_force import (
    all_trees,
    is_projective_tree,
    partial_annotations,
    projective_trees,
    single_root_trees,
)
from .comparison import sizes
from .reference_systems import ROOT

SYSTEMS = [
    *(ArcEager(root, False) for root in ArcEager.root_places),
    *(ArcEager(root, True) for root in ArcEager.root_places),
    *(
        make(root, one)
        for make in (ArcHybrid, ArcStandard, EasyFirst, NonMonotonicArcEager)
        for root in make.root_places
        for one in (False, True)
    ),
]
COVINGTON = [Covington(single_root=one) for one in (False, True)]
SWAP = [ArcHybridSwap(single_root=one) for one in (False, True)]


def initial(system, n):
    """With one root, where the system asks for it, under the rule for keeping arcs."""
    rule = RootRule.ONE if system.single_root else RootRule.ANY
    return system.initial(n, system.keeping_root_rule(rule))


every_system = pytest.mark.parametrize("system", SYSTEMS, ids=repr)


def steps(system, c, arcs):
    """The configurations after each transition that keeps the arcs."""
    pairs = [None]
    if system.chooses_pair:
        pairs = range(1, len(c.stack) + len(c.buffer))
    for pair in pairs:
        if pair is not None:
            system.focus(c, pair)
        for name in system.keeping(c, arcs):
            after = c.copy()
            system.apply(after, name)
            yield after


def state(system, c):
    nodes = c.stack + c.buffer if system.chooses_pair else (c.stack, c.buffer)
    return nodes, c.heads, c.end_seen, c.marked


def trees_that_keep(system, n, heads):
    """All trees that can be reached, and the number of dead ends."""
    arcs = GoldTree(heads)
    agenda, seen = [initial(system, n)], set()
    trees, n_dead = set(), 0
    while agenda:
        c = agenda.pop()
        if system.is_terminal(c):
            system.finish(c)
            trees.add(c.heads)
            continue
        following = list(steps(system, c, arcs))
        n_dead += not following
        for after in following:
            if state(system, after) not in seen:
                seen.add(state(system, after))
                agenda.append(after)
    return trees, n_dead


def that_contain(trees, partial):
    pairs = [(word, head) for word, head in enumerate(partial) if head is not None]
    return {tree for tree in trees if all(tree[w] == head for w, head in pairs)}


@every_system
@sizes(slow=(5,))
def test_all_trees_with_the_arcs_and_no_other(system, n):
    # Where a word may go back, there are as many configurations for one word less.
    n -= isinstance(system, NonMonotonicArcEager)
    trees = projective_trees(n, bool(system.single_root))
    for partial in partial_annotations(trees):
        found, n_dead = trees_that_keep(system, n, partial)
        assert n_dead == 0
        assert found == that_contain(trees, partial)


@pytest.mark.parametrize("system", COVINGTON, ids=repr)
@sizes((1, 2, 3), slow=(4,))
def test_arcs_may_cross_where_all_trees_are_derived(system, n):
    trees = single_root_trees(n) if system.single_root else all_trees(n)
    for partial in partial_annotations(trees):
        found, n_dead = trees_that_keep(system, n, partial)
        assert n_dead == 0
        assert found == that_contain(trees, partial)


@pytest.mark.parametrize("system", SWAP, ids=repr)
@sizes(slow=(5,))
def test_only_trees_with_the_arcs_where_they_may_cross(system, n):
    """Some crossing trees are left out, but never a projective one."""
    trees = projective_trees(n, bool(system.single_root))
    for partial in partial_annotations(trees):
        found, n_dead = trees_that_keep(system, n, partial)
        assert n_dead == 0
        assert found == that_contain(found, partial)
        assert set(filter(is_projective_tree, found)) == that_contain(trees, partial)
        if not system.single_root:
            continue
        assert all(tree.count(ROOT) == 1 for tree in found)
        if set(partial) == {None}:
            assert found == set(single_root_trees(n))


@sizes(slow=(5,))
def test_without_arcs_everything_legal_is_kept(n):
    """Also by UNSHIFT, for which no costs are published."""
    for system in (*SYSTEMS, *COVINGTON, *SWAP):
        if n == 5 and isinstance(system, NonMonotonicArcEager):
            continue
        arcs = GoldTree([None] * n)
        agenda, seen = [initial(system, n)], set()
        while agenda:
            c = agenda.pop()
            assert sorted(system.keeping(c, arcs)) == sorted(system.legal(c))
            for after in steps(system, c, arcs):
                if state(system, after) not in seen:
                    seen.add(state(system, after))
                    agenda.append(after)


def test_arcs_that_no_tree_has_lead_nowhere():
    """Callers must ask for arcs that go together; here ROOT may have one dependent."""
    found, n_dead = trees_that_keep(ArcHybrid("last", True), 2, [0, 0])
    assert found == set()
    assert n_dead
