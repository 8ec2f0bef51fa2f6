"""Every system against brute force on every configuration and projective tree.

What holds for all systems; what only one of them claims is in its own file. Counts:
Goldberg & Nivre (2013, TACL 1), sections 4.2 to 4.5, computed.
"""

from itertools import permutations, product

import pytest

from ..core.builders import is_projective_tree
from .brute_force import BruteForce, GoldTrees, Graph, partial_annotations
from .cases import CASES, COVINGTON, cases_of, every_size
from .comparison import compare_costs, compare_labelled_costs, n_equal, walk
from .reference_systems import ROOT, Labelled

# The reference itself


@pytest.mark.parametrize(
    ("case", "n"), [(case, n) for case in CASES for n in case.counts], ids=str
)
def test_reference_counts(case, n):
    graph, trees = case.graph(n), case.trees(n)
    steps = sum(len(steps) for steps in graph.successors.values())
    counts = len(graph.nonterminal), len(trees), steps * len(trees)
    assert counts == case.counts[n]


@every_size(range(1, 7))
def test_derivations(case, n):
    """No dead ends, every tree and no other, as many transitions as stated."""
    graph = case.graph(n)
    assert not graph.dead_ends()
    assert graph.trees() == set(case.trees(n))
    for c in graph.terminal:
        length = {
            # Words left on the stack were never popped.
            "arc-eager": 2 * n - len([node for node in c[0] if node != ROOT]),
            # ROOT is shifted where it comes first.
            "arc-hybrid": 2 * n + (case.root == "first"),
            "arc-standard": 2 * n + 1,
            "easy-first": n,
            # UNSHIFT makes two more.
            "non-monotonic": 2 * n + 2 * len(c[-1]),
        }[case.system]
        assert graph.lengths()[c] == {length}


@pytest.mark.parametrize("case", cases_of("easy-first"), ids=str)
@pytest.mark.parametrize("n", range(1, 6))
def test_reachable_arcs_of_easy_first(case, n):
    """Between any two nodes that are left; Goldberg & Nivre (2013), section 4.5."""
    graph = case.graph(n)
    for c in graph.successors:
        expected = {(h, d) for h, d in permutations(c[0], 2) if d != ROOT}
        assert graph.derivable(c) == expected


@every_size(cases=(*CASES, COVINGTON))
def test_programme_agrees_with_listed_trees(case, n):
    brute = BruteForce(case.graph(n), GoldTrees(case.trees(n)))
    for c in brute.graph.nonterminal:
        listed = brute.listed_costs(c)
        for name, costs in brute.costs(c).items():
            assert (costs == listed[name]).all()


# The package


@every_size(range(6))
def test_configurations(case, n):
    """Walk all configurations through the package's own transitions."""
    for heads in walk(case.graph(n), case.view()):
        assert is_projective_tree(heads)


@every_size(slow=(5, 6))
def test_costs(case, n):
    brute = BruteForce(case.graph(n), GoldTrees(case.trees(n)))
    compared = n_equal(compare_costs(brute, case.view()))
    if n in case.counts:
        assert compared == case.counts[n][2]


@every_size(slow=(5,))
def test_costs_for_partial_annotation(case, n):
    trees = partial_annotations(case.trees(n))
    multi, single = (2, 8, 42, 252, 1636), (2, 7, 34, 195, 1230)
    assert len(trees) == (single if case.single_root else multi)[n - 1]
    brute = BruteForce(case.graph(n), GoldTrees(trees))
    assert n_equal(compare_costs(brute, case.view()))


def labelled_brute_force(case, n, gold_labels):
    pairs = list(product(case.trees(n), product(gold_labels, repeat=n)))
    golds = GoldTrees([heads for heads, _ in pairs], [labels for _, labels in pairs])
    return BruteForce(Graph(Labelled(case.reference, ("a", "b")), n), golds)


@every_size((1, 2, 3), slow=(4,))
def test_labelled_costs(case, n):
    brute = labelled_brute_force(case, n, ("a", "b"))
    assert n_equal(compare_labelled_costs(brute, case.view(), ("a", "b")))


@every_size((1, 2, 3))
def test_unknown_labels_cost_nothing(case, n):
    brute = labelled_brute_force(case, n, ("a", "b", None))
    assert n_equal(compare_labelled_costs(brute, case.view(), ("a", "b")))
