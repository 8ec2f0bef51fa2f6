"""Static, non-deterministic and dynamic oracles against brute-force costs.

Goldberg & Nivre (2013, TACL 1), section 4.1: a static oracle is defined on its own
derivation of the gold tree, a non-deterministic one on all derivations of it, a
dynamic one on every configuration.
"""

from functools import cache

import pytest

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)

from . import brute_force
from .brute_force import BruteForce, GoldTrees, Graph, projective_trees

VARIANTS = ("shift", "reduce")
every_root = pytest.mark.parametrize("root", ["last", "none", "first"])


@cache
def brute_force_of(root, n):
    graph = Graph(brute_force.ArcEager(root), n)
    return BruteForce(graph, GoldTrees(projective_trees(n)))


@cache
def zero_costs(root, n):
    """{c: for every gold tree the set of its transitions of cost zero}."""
    brute = brute_force_of(root, n)
    zeros = {}
    for c in brute.graph.nonterminal:
        free = {name: (v == 0).tolist() for name, v in brute.costs(c).items()}
        zeros[c] = [
            frozenset(name for name in free if free[name][i])
            for i in range(len(brute.golds))
        ]
    return zeros


def gold_paths(root, n):
    """(index of the gold tree, zero-cost set, configuration) on all gold paths."""
    system, zeros = ArcEager(root=root), zero_costs(root, n)
    for index in range(len(projective_trees(n))):
        agenda, seen = [system.initial(n)], set()
        while agenda:
            config = agenda.pop()
            c = config.stack, config.buffer, config.heads
            if c in seen or system.is_terminal(config):
                continue
            seen.add(c)
            yield index, zeros[c][index], config
            for name in zeros[c][index]:
                following = config.copy()
                system.apply(following, name)
                agenda.append(following)


@every_root
@pytest.mark.parametrize("n", range(1, 6))
def test_oracles_on_gold_paths(root, n):
    system, golds = ArcEager(root=root), [GoldTree(h) for h in projective_trees(n)]
    for index, zero, config in gold_paths(root, n):
        gold = golds[index]
        static = [StaticOracle(v).correct(system, config, gold) for v in VARIANTS]
        assert [len(names) for names in static] == [1, 1]
        non_deterministic = NonDeterministicOracle().correct(system, config, gold)
        assert static[0] | static[1] <= non_deterministic <= zero
        assert DynamicOracle().correct(system, config, gold) == zero
        # The variants differ only in when they pop a finished word.
        assert static[0] == static[1] or static == [{"SHIFT"}, {"REDUCE"}]
        if root != "last":
            continue
        assert static[0] | static[1] == zero


@every_root
@pytest.mark.parametrize("n", range(1, 6))
def test_ambiguity_on_gold_paths(root, n):
    """Only REDUCE and SHIFT compete.

    With ROOT first a word whose head is ROOT may also be shifted beside ROOT: it is
    attached to ROOT in the end.
    """
    found = {zero for _, zero, _ in gold_paths(root, n) if len(zero) > 1}
    allowed = {frozenset({"REDUCE", "SHIFT"})}
    if root == "first":
        allowed.add(frozenset({"RIGHT", "SHIFT"}))
    assert found <= allowed
    if n >= 3:
        assert found == allowed


@every_root
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_dynamic_oracle_everywhere(root, n):
    system, golds = ArcEager(root=root), [GoldTree(h) for h in projective_trees(n)]
    for c, zeros in zero_costs(root, n).items():
        stack, buffer, heads = c
        arcs = [(h, None, d) for d, h in enumerate(heads, 1) if h is not None]
        config = system.configuration(n, stack=stack, buffer=buffer, arcs=arcs)
        for gold, zero in zip(golds, zeros, strict=True):
            assert DynamicOracle().correct(system, config, gold) == zero


@every_root
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "n", [1, 2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.slow)]
)
def test_static_oracles_rebuild_the_tree(root, variant, n):
    system, oracle = ArcEager(root=root), StaticOracle(variant)
    for heads in projective_trees(n):
        gold, config = GoldTree(heads), system.initial(n)
        while not system.is_terminal(config):
            (name,) = oracle.correct(system, config, gold)
            assert name in system.legal(config)
            system.apply(config, name)
        system.finish(config)
        assert config.heads == heads
