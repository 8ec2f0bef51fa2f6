"""Arc-eager costs against brute force on every configuration and projective tree.

Counts and formulas: Goldberg & Nivre (2013, TACL 1), sections 4.2 to 4.5.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest

from spacy_dynoracle import ArcEager, GoldTree

from . import brute_force
from .brute_force import ROOT, BruteForce, GoldTrees, Graph, Labelled

ROOTS = ("last", "none", "first")
ORDINARY = (1, 2, 3, 4)
SLOW = (5, 6)

# Non-terminal configurations, projective trees, (configuration, transition, tree).
REFERENCE_COUNTS = {
    ("last", 3): (37, 12, 588),
    ("last", 4): (190, 55, 13_970),
    ("last", 5): (1_034, 273, 376_740),
    ("last", 6): (5_827, 1_428, 11_068_428),
    ("last", 7): (33_623, 7_752, 345_638_424),
    ("none", 3): (11, 12, 276),
    ("none", 4): (49, 55, 6_215),
    ("none", 5): (245, 273, 161_343),
    ("none", 6): (1_307, 1_428, 4_613_868),
    ("none", 7): (7_255, 7_752, 141_233_688),
    ("first", 3): (24, 12, 744),
    ("first", 4): (122, 55, 17_930),
    ("first", 5): (653, 273, 484_848),
    ("first", 6): (3_627, 1_428, 14_237_160),
    ("first", 7): (20_687, 7_752, 443_988_048),
}


def sizes(ordinary=ORDINARY, slow=SLOW):
    marked = [pytest.param(n, marks=pytest.mark.slow) for n in slow]
    return pytest.mark.parametrize("n", [*ordinary, *marked])


every_root = pytest.mark.parametrize("root", ROOTS)


@cache
def graph_of(root, n):
    return Graph(brute_force.ArcEager(root), n)


def projective(n):
    return GoldTrees(brute_force.projective_trees(n))


def package_golds(golds):
    if golds.labels is None:
        return [GoldTree(heads) for heads in golds.heads]
    pairs = zip(golds.heads, golds.labels, strict=True)
    return [GoldTree(h, labels) for h, labels in pairs]


def build(system, c, labels=None):
    """The package's configuration for a configuration of the reference."""
    stack, buffer, heads = c
    labels = labels or (None,) * len(heads)
    arcs = [
        (head, label, word)
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
        if head is not None
    ]
    return system.configuration(len(heads), stack=stack, buffer=buffer, arcs=arcs)


def structural_costs(system):
    def at(c):
        config = build(system, c)
        return lambda gold: system.costs(config, gold)

    return at


def labelled_costs(system):
    def at(c):
        config = build(system, *c)

        def costs(gold):
            found = {}
            for name in system.legal(config):
                for label in ("a", "b") if name in ("LEFT", "RIGHT") else (None,):
                    cost = system.cost(config, gold, name, label=label)
                    found[name, label] = cost
            return found

        return costs

    return at


def compare(brute, package_costs):
    """Comparisons made, disagreements and the first of these."""
    golds = package_golds(brute.golds)
    compared, wrong, examples = 0, 0, []
    for c in brute.graph.nonterminal:
        expected = brute.costs(c)
        table = np.stack(list(expected.values()), axis=1)
        assert (table.min(axis=1) == 0).all()
        compared += table.size
        costs = package_costs(c)
        for gold, row in zip(golds, table.tolist(), strict=True):
            want, got = dict(zip(expected, row, strict=True)), costs(gold)
            if got != want:
                wrong += 1
                if len(examples) < 5:
                    examples.append((c, gold, want, got))
    return compared, wrong, examples


# The reference itself


@pytest.mark.parametrize("n", range(1, 7))
def test_number_of_trees(n):
    multi, single = (1, 3, 12, 55, 273, 1428), (1, 2, 7, 30, 143, 728)
    trees = brute_force.projective_trees(n)
    assert len(trees) == len(set(trees)) == multi[n - 1]
    assert len(brute_force.projective_trees(n, single_root=True)) == single[n - 1]


@pytest.mark.parametrize("n", range(1, 6))
def test_trees_by_definition(n):
    every = product(range(n + 1), repeat=n)
    trees = {heads for heads in every if brute_force.is_projective_tree(heads)}
    assert trees == set(brute_force.projective_trees(n))


@pytest.mark.parametrize(("root", "n"), REFERENCE_COUNTS)
def test_reference_counts(root, n):
    graph, trees = graph_of(root, n), brute_force.projective_trees(n)
    steps = sum(len(steps) for steps in graph.successors.values())
    counts = len(graph.nonterminal), len(trees), steps * len(trees)
    assert counts == REFERENCE_COUNTS[root, n]


@every_root
@pytest.mark.parametrize("n", range(1, 7))
def test_derivations(root, n):
    graph = graph_of(root, n)
    assert not graph.dead_ends()
    assert graph.trees() == set(brute_force.projective_trees(n))
    for c in graph.terminal:
        words_left = [node for node in c[0] if node != ROOT]
        assert graph.lengths()[c] == {2 * n - len(words_left)}


@every_root
@pytest.mark.parametrize("n", ORDINARY)
def test_programme_agrees_with_listed_trees(root, n):
    brute = BruteForce(graph_of(root, n), projective(n))
    for c in brute.graph.nonterminal:
        listed = brute.listed_costs(c)
        for name, costs in brute.costs(c).items():
            assert (costs == listed[name]).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_labelled_programme_agrees_with_listed_trees(n):
    brute = labelled_brute_force("last", n, ("a", "b"))
    for c in brute.graph.nonterminal:
        listed = brute.listed_costs(c)
        for name, costs in brute.costs(c).items():
            assert (costs == listed[name]).all()


@every_root
@pytest.mark.parametrize("n", range(1, 6))
def test_reachable_arcs(root, n):
    """GN13 4.5, and (ROOT, d) for headless d where words are attached at the end."""
    graph = graph_of(root, n)
    for c in graph.successors:
        stack, buffer, heads = c
        headless = [d for d in stack if d != ROOT and heads[d - 1] is None]
        arcs = {(h, d) for h in buffer for d in buffer if h != d}
        arcs |= set(product(stack, buffer)) | set(product(buffer, headless))
        if root != "last":
            arcs |= {(ROOT, d) for d in (*buffer, *headless)}
        assert graph.derivable(c) == {(h, d) for h, d in arcs if d != ROOT}


# The package


@every_root
@pytest.mark.parametrize("n", range(1, 6))
def test_configurations(root, n):
    """Walk all configurations through the package's own transitions."""
    graph, system = graph_of(root, n), ArcEager(root=root)
    agenda, seen = [(graph.initial, system.initial(n))], set()
    while agenda:
        c, config = agenda.pop()
        assert (config.stack, config.buffer, config.heads) == c
        if c in seen:
            continue
        seen.add(c)
        terminal = c in graph.terminal
        assert system.is_terminal(config) == terminal
        if terminal:
            system.finish(config)
            assert config.heads == tuple(ROOT if h is None else h for h in c[2])
            assert brute_force.is_projective_tree(config.heads)
            continue
        steps = graph.successors[c]
        assert sorted(system.legal(config)) == sorted(name for name, _, _ in steps)
        for name, arc, after in steps:
            following = config.copy()
            system.apply(following, name, label="x" if arc else None)
            added = set(following.arcs) - set(config.arcs)
            assert added == (set() if arc is None else {(arc[0], "x", arc[1])})
            agenda.append((after, following))
        assert (config.stack, config.buffer, config.heads) == c
    assert seen == set(graph.successors)


@every_root
@sizes()
def test_costs(root, n):
    brute = BruteForce(graph_of(root, n), projective(n))
    system = ArcEager(root=root)
    compared, wrong, examples = compare(brute, structural_costs(system))
    assert wrong == 0, examples
    if (root, n) in REFERENCE_COUNTS:
        assert compared == REFERENCE_COUNTS[root, n][2]


@every_root
@sizes(slow=(5,))
def test_costs_for_partial_annotation(root, n):
    trees = brute_force.partial_annotations(brute_force.projective_trees(n))
    assert len(trees) == (2, 8, 42, 252, 1636)[n - 1]
    brute = BruteForce(graph_of(root, n), GoldTrees(trees))
    _, wrong, examples = compare(brute, structural_costs(ArcEager(root=root)))
    assert wrong == 0, examples


def labelled_brute_force(root, n, gold_labels):
    trees = brute_force.projective_trees(n)
    pairs = list(product(trees, product(gold_labels, repeat=n)))
    golds = GoldTrees([heads for heads, _ in pairs], [labels for _, labels in pairs])
    graph = Graph(Labelled(brute_force.ArcEager(root), ("a", "b")), n)
    return BruteForce(graph, golds)


@every_root
@sizes((1, 2, 3), slow=(4,))
def test_labelled_costs(root, n):
    brute = labelled_brute_force(root, n, ("a", "b"))
    _, wrong, examples = compare(brute, labelled_costs(ArcEager(root=root)))
    assert wrong == 0, examples


@every_root
@pytest.mark.parametrize("n", [1, 2, 3])
def test_unknown_labels_cost_nothing(root, n):
    brute = labelled_brute_force(root, n, ("a", "b", None))
    _, wrong, examples = compare(brute, labelled_costs(ArcEager(root=root)))
    assert wrong == 0, examples


# The formulas the test has to reject


def formula_costs(c, golds, literal=False, headless_only=True):
    """Costs of GN13 4.5, ROOT last.

    literal: the dependents of LEFT without b, those of RIGHT without s, as printed.
    headless_only: the correction of GN13 footnote 11.
    """
    stack, buffer, heads = c
    b, beta = buffer[0], buffer[1:]
    sigma, s = stack[:-1], stack[-1] if stack else None

    def lost(nodes):
        return [k for k in nodes if heads[k - 1] is None or not headless_only]

    arcs = {
        "SHIFT": [(k, b) for k in stack] + [(b, k) for k in lost(stack)],
        "REDUCE": [(s, k) for k in buffer],
        "LEFT": [(k, s) for k in beta]
        + [(s, k) for k in (beta if literal else buffer)],
        "RIGHT": [(k, b) for k in sigma + beta]
        + [(b, k) for k in lost(sigma if literal else stack)],
    }
    legal = [name for name, _, _ in brute_force.ArcEager("last").successors(c)]
    return {
        name: golds.count((h, d) for h, d in arcs[name] if d != ROOT) for name in legal
    }


@pytest.mark.parametrize(
    ("variant", "disagreements", "zero_or_not"),
    [
        ({}, 0, 0),
        ({"literal": True}, 294_055, 74_361),
        ({"headless_only": False}, 243_874, 87_874),
    ],
)
def test_negative_controls(variant, disagreements, zero_or_not):
    compared = wrong = wrong_zero = 0
    for n in range(1, 7):
        brute = BruteForce(graph_of("last", n), projective(n))
        for c in brute.graph.nonterminal:
            found = formula_costs(c, brute.golds, **variant)
            for name, costs in brute.costs(c).items():
                compared += costs.size
                wrong += np.count_nonzero(costs != found[name])
                wrong_zero += np.count_nonzero((costs == 0) != (found[name] == 0))
            # The error is silent: some transition always looks free.
            assert (np.min(list(found.values()), axis=0) == 0).all()
    assert compared == 11_459_758
    assert (wrong, wrong_zero) == (disagreements, zero_or_not)


@pytest.mark.parametrize(
    ("c", "heads", "name", "cost", "literal"),
    [
        (((1,), (2, ROOT), (None, None)), (2, 0), "RIGHT", 2, 1),
        (((1, 2), (3, ROOT), (None, None, None)), (0, 1, 2), "LEFT", 1, 0),
    ],
)
def test_smallest_examples_of_the_misprint(c, heads, name, cost, literal):
    system, golds = ArcEager(root="last"), GoldTrees([heads])
    brute = BruteForce(graph_of("last", len(heads)), golds)
    assert brute.costs(c)[name] == [cost]
    assert formula_costs(c, golds, literal=True)[name] == [literal]
    assert system.costs(build(system, c), GoldTree(heads))[name] == cost


def test_dependent_with_a_head_is_not_lost_again():
    """GN13 footnote 11: (3, 2) was lost when 2 became a dependent of 1."""
    c, heads = ((1, 2), (3, ROOT), (None, 1, None)), (3, 3, 0)
    system, golds = ArcEager(root="last"), GoldTrees([heads])
    brute = BruteForce(graph_of("last", 3), golds)
    costs = {name: int(cost[0]) for name, cost in brute.costs(c).items()}
    assert costs == {"SHIFT": 1, "REDUCE": 0, "RIGHT": 2}
    old = formula_costs(c, golds, headless_only=False)
    assert (old["SHIFT"], old["RIGHT"]) == (2, 3)
    assert system.costs(build(system, c), GoldTree(heads)) == costs
