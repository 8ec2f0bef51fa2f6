"""Arc-hybrid with SWAP: every tree, projective or not, along every zero-cost path.

De Lhoneux, Stymne & Nivre (2017). The oracle is static for SWAP and dynamic for the
rest: its costs are no losses of the best tree, and what it promises is that every path
of transitions of cost zero ends in the gold tree.
"""

from functools import cache

import pytest

from spacy_dynoracle import ArcHybridSwap, DynamicOracle, GoldTree

from ..core.builders import all_trees
from . import reference_systems, swap_oracle
from .brute_force import Graph
from .comparison import View, free_paths, sizes, walk
from .reference_systems import ROOT

every_restriction = pytest.mark.parametrize(
    "single_root", [False, True], ids=["any", "single"]
)
LABELS = ("a", "b")


@cache
def graph_of(single_root, n):
    return Graph(reference_systems.ArcHybridSwap(single_root), n)


def view_of(single_root):
    return View(ArcHybridSwap(single_root=single_root))


@every_restriction
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_tree_is_derivable(single_root, n):
    graph, trees = graph_of(single_root, n), set(all_trees(n, single_root=True))
    assert not graph.dead_ends()
    assert trees <= graph.trees()
    if single_root:
        assert graph.trees() == trees


@every_restriction
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_number_of_transitions(single_root, n):
    """Each of at most n(n-1)/2 swaps takes a SWAP and one SHIFT more."""
    graph = graph_of(single_root, n)
    lengths = set().union(*(graph.lengths()[c] for c in graph.terminal))
    assert lengths == set(range(2 * n, n * (n + 1) + 1, 2))


@every_restriction
@sizes(slow=(5,))
def test_configurations(single_root, n):
    """Walk all configurations through the package's own transitions."""
    trees = set(walk(graph_of(single_root, n), view_of(single_root)))
    assert set(all_trees(n, single_root=True)) <= trees


@every_restriction
@pytest.mark.parametrize(
    ("n", "configurations", "longest", "most_swaps"),
    [
        (1, 3, 2, 0),
        (2, 10, 4, 0),
        (3, 67, 8, 1),
        (4, 694, 12, 2),
        (5, 9_768, 20, 5),
        pytest.param(6, 173_615, 28, 8, marks=pytest.mark.slow),
    ],
)
def test_every_free_path_ends_in_the_gold_tree(
    single_root, n, configurations, longest, most_swaps
):
    """The package alone: its configurations, its costs, its transitions."""
    view, reached, all_ends = view_of(single_root), 0, set()
    for heads in all_trees(n, single_root=True):
        seen, ends = free_paths(view, heads)
        assert {found for found, _, _ in ends} == {heads}
        all_ends |= {(length, swaps) for _, length, swaps in ends}
        reached += seen
    assert reached == configurations
    assert all(length == 2 * (n + swaps) for length, swaps in all_ends)
    assert max(all_ends) == (longest, most_swaps)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_dynamic_oracle(n):
    view, system = view_of(False), reference_systems.ArcHybridSwap()
    for heads in all_trees(n, single_root=True):
        gold = GoldTree(heads)
        for c, costs in explored(system, heads):
            free = {name for name, cost in costs.items() if cost == 0}
            assert free
            assert DynamicOracle().correct(view.system, view.build(c), gold) == free


def explored(system, heads):
    """All states that training may visit, with their costs, by the second oracle.

    A SWAP that costs is never followed, a free SWAP always.
    """
    agenda, seen = [swap_oracle.start(system, heads)], set()
    while agenda:
        state = agenda.pop()
        if state in seen or system.is_terminal(state[0]):
            continue
        seen.add(state)
        costs = swap_oracle.costs(system, state, heads)
        yield state[0], costs
        follow = set(costs) - {"SWAP"}
        if costs.get("SWAP") == 0:
            follow = {"SWAP"}
        agenda += [swap_oracle.follow(system, state, t, heads) for t in follow]


@every_restriction
@sizes(slow=(5,))
def test_costs_wherever_training_goes(single_root, n):
    """The package's costs need the configuration only, not the way to it.

    Where SWAP is the only correct transition the others cost something, how much is
    left open.
    """
    view, system = view_of(single_root), reference_systems.ArcHybridSwap(single_root)
    for heads in all_trees(n, single_root=True):
        gold = GoldTree(heads)
        for c, expected in explored(system, heads):
            costs = view.costs(view.build(c))(gold)
            if expected.get("SWAP") == 0:
                assert costs.pop("SWAP") == 0
                assert set(costs) == set(expected) - {"SWAP"}
                assert min(costs.values()) > 0
            else:
                assert costs == expected


@every_restriction
@pytest.mark.parametrize("n", [1, 2, 3])
def test_labelled_costs(single_root, n):
    """A gold arc with the wrong label costs one more, any other arc nothing more."""
    view, system = view_of(single_root), reference_systems.ArcHybridSwap(single_root)
    for heads in all_trees(n, single_root=True):
        labels = ["ab"[word % 2] for word in range(n)]
        gold = GoldTree(heads, labels)
        for c, _ in explored(system, heads):
            config, expected = view.build(c), {}
            arcs = {name: arc for name, arc, _ in system.successors(c)}
            for name, cost in view.system.costs(config, gold).items():
                if arcs[name] is None:
                    expected[name, None] = cost
                    continue
                head, word = arcs[name]
                for label in LABELS:
                    wrong = heads[word - 1] == head and labels[word - 1] != label
                    expected[name, label] = cost + wrong
            assert view.labelled_costs(config, LABELS)(gold) == expected


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_projective_order(n):
    """Projective trees are in order as they stand; ROOT comes after all words."""
    for heads in all_trees(n, single_root=True):
        order = swap_oracle.projective_order(heads)
        assert sorted(order, key=order.get)[-1] == ROOT
        in_order = sorted(order, key=order.get)[:-1] == list(range(1, n + 1))
        assert in_order == GoldTree(heads).projective
