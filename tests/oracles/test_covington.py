"""Covington's system: every tree, crossing or not, on every configuration.

Gomez-Rodriguez & Fernandez-Gonzalez (2015): exact losses, which count cycles. With one
root the dependent of ROOT takes all words that are left; this changes the true costs,
and is left out of those of the package.
"""

import random

import pytest

from spacy_dynoracle import DynamicOracle, GoldTree, StaticOracle

from ..core.builders import learned
from ..core.random_models import random_heads
from .brute_force import BruteForce, GoldTrees, Graph, partial_annotations
from .cases import COVINGTON, COVINGTON_SINGLE
from .comparison import (
    compare_costs,
    compare_labelled_costs,
    free_paths,
    n_equal,
    sizes,
    walk,
)
from .reference_systems import ROOT, Labelled

every_case = pytest.mark.parametrize("case", [COVINGTON, COVINGTON_SINGLE], ids=str)


@every_case
@pytest.mark.parametrize(
    ("n", "longest", "with_one_root"),
    [(1, 2, 2), (2, 4, 5), (3, 7, 9), (4, 11, 14), (5, 16, 20)],
)
def test_derivations(case, n, longest, with_one_root):
    """No dead ends, every tree and no other; n SHIFT, n arcs and the walks. ROOT passes
    a word instead of taking it, so that this costs no more transitions.
    """
    graph = case.graph(n)
    assert not graph.dead_ends()
    lengths = set().union(*(graph.lengths()[c] for c in graph.terminal))
    assert min(lengths) == 2 * n
    assert max(lengths) == (with_one_root if case.single_root else longest)
    if n < 5:
        assert graph.trees() == set(case.trees(n))


@every_case
@sizes(slow=(5,))
def test_configurations(case, n):
    """Walk all configurations through the package's own transitions."""
    assert set(walk(case.graph(n), case.view())) == set(case.trees(n))


@sizes(slow=(5,))
def test_costs(n):
    golds = GoldTrees(COVINGTON.trees(n))
    brute = BruteForce(COVINGTON.graph(n), golds)
    compared = n_equal(compare_costs(brute, COVINGTON.view()))
    assert compared == {1: 3, 2: 48, 3: 1_744, 4: 121_750, 5: 14_288_400}[n]


@pytest.mark.slow
def test_costs_of_some_trees_over_six_words():
    golds = GoldTrees(COVINGTON.trees(6)[::100])
    brute = BruteForce(COVINGTON.graph(6), golds)
    assert n_equal(compare_costs(brute, COVINGTON.view())) > 10_000_000


@sizes((1, 2, 3), slow=(4,))
def test_costs_for_partial_annotation(n):
    golds = GoldTrees(partial_annotations(COVINGTON.trees(n)))
    brute = BruteForce(COVINGTON.graph(n), golds)
    assert n_equal(compare_costs(brute, COVINGTON.view()))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_labelled_costs(n):
    labels = [("a", "b", None)[i % 3] for i in range(n)]
    trees = COVINGTON.trees(n)
    graph = Graph(Labelled(COVINGTON.reference, ("a", "b")), n)
    brute = BruteForce(graph, GoldTrees(trees, [labels] * len(trees)))
    assert n_equal(compare_labelled_costs(brute, COVINGTON.view(), ("a", "b")))


def test_long_sentences():
    """The loss as it is defined, where paths and cycles are longer."""
    rng, system, n_compared, n_cycles = random.Random(1), COVINGTON.make(), 0, 0

    def loss(c, heads, **variant):
        return covington_loss((c.stack, c.buffer, c.heads), heads, **variant)

    for _ in range(400):
        heads = random_heads(rng, rng.randint(6, 14), projective=False)
        c, gold = system.initial(len(heads)), GoldTree(heads)
        while not system.is_terminal(c):
            costs = system.costs(c, gold)
            before = loss(c, heads)
            for name, cost in costs.items():
                after = c.copy()
                system.apply(after, name)
                assert cost == loss(after, heads) - before, (c, gold, name)
                n_compared += 1
            n_cycles += before > loss(c, heads, cycles=False)
            best = [name for name, cost in costs.items() if cost == 0]
            system.apply(c, rng.choice(best if rng.random() < 0.8 else list(costs)))
    assert n_compared > 10_000
    assert n_cycles > 100


# ---- one root ------------------------------------------------------------------------


@every_case
@sizes(slow=(5,))
def test_every_free_path_ends_in_the_gold_tree(case, n):
    for heads in case.trees(n):
        _, ends = free_paths(case.view(), heads)
        found = {found for found, _, _ in ends}
        assert {tuple(ROOT if h is None else h for h in some) for some in found} == {
            heads
        }


@pytest.mark.parametrize(("n", "different"), [(2, 4), (3, 120), (4, 6_613)])
def test_costs_leave_out_what_the_only_root_takes_in_the_end(n, different):
    """Some transition costs nothing everywhere, and before ROOT all costs are those
    without the restriction.
    """
    trees = COVINGTON_SINGLE.trees(n)
    brute = BruteForce(COVINGTON_SINGLE.graph(n), GoldTrees(trees))
    view, free = COVINGTON_SINGLE.view(), COVINGTON.view()
    assert compare_costs(brute, view)[1] == different
    for c in brute.graph.nonterminal:
        costs = view.costs(view.build(c))
        for gold in map(GoldTree, trees):
            assert min(costs(gold).values()) == 0
            if ROOT not in c[1][:2]:
                assert costs(gold) == free.costs(free.build(c))(gold)


# ---- oracles -------------------------------------------------------------------------


def static_rule(costs):
    """Arcs first; SHIFT as soon as b has all its arcs with words before it."""
    names = "LEFT", "RIGHT", "SHIFT", "JUMP", "PASS"
    return next(name for name in names if costs.get(name) == 0)


@sizes((1, 2, 3, 4), slow=(5,))
def test_oracles(n):
    view = COVINGTON.view()
    for heads in COVINGTON.trees(n):
        gold, config = GoldTree(heads), view.system.initial(n)
        while not view.system.is_terminal(config):
            costs = view.system.costs(config, gold)
            free = {name for name, cost in costs.items() if cost == 0}
            correct = DynamicOracle().correct(view.system, config, gold)
            assert correct == learned(free, config, gold)
            (name,) = StaticOracle().correct(view.system, config, gold)
            assert name == static_rule(costs)
            view.system.apply(config, name)
        assert config.heads == heads


def covington_loss(c, gold, cycles=True):
    """The loss of Gomez-Rodriguez & Fernandez-Gonzalez (2015), from its definition.

    Args:
        cycles: Without, the loss of systems whose arcs are independent of each other.
    """
    stack, buffer, heads = c
    b = buffer[0]
    passed = set(range(1, b or len(heads) + 1)) - set(stack)
    path, lost = dict(enumerate(heads, 1)), 0
    for d, h in enumerate(gold, 1):
        if h is None or heads[d - 1] is not None:
            lost += h not in (None, heads[d - 1])
        elif h == ROOT:
            # ROOT takes what is left in the end.
            path[d] = h
        elif not {h, d} & set(buffer) or (b in (h, d) and {h, d} & passed):
            lost += 1
        else:
            path[d] = h
    on_cycle = {k for k in path if k in _nodes_from(path.get(k), path)}
    found = {frozenset(_nodes_from(k, path)) for k in on_cycle}
    return lost + (len(found) if cycles else 0)


def _nodes_from(node, path):
    nodes = []
    while node not in (None, ROOT) and node not in nodes:
        nodes.append(node)
        node = path.get(node)
    return nodes
