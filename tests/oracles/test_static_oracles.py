"""Static, non-deterministic and dynamic oracles against rules and brute-force costs.

Goldberg & Nivre (2013, TACL 1), section 4.1: a static oracle is defined on its own
derivation of the gold tree, a non-deterministic one on all derivations of it, a
dynamic one on every configuration.
"""

from functools import cache

import pytest

from spacy_dynoracle import (
    DynamicOracle,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)

from .brute_force import BruteForce, GoldTrees
from .cases import CASES, cases_of, every_size
from .comparison import sizes
from .static_rules import RULES, is_valid

every_static = pytest.mark.parametrize(
    ("case", "variant"),
    [(case, variant) for case in CASES for variant in RULES.get(case.system, ())],
    ids=str,
)
# A system with repairs has far more paths than rules choose from.
MONOTONIC = [case for case in CASES if case.system != "non-monotonic"]
with_static = pytest.mark.parametrize(
    "case", [case for case in MONOTONIC if case.system in RULES], ids=str
)
easy_first = pytest.mark.parametrize("case", cases_of("easy-first"), ids=str)


@cache
def zero_costs(case, n):
    """{c: for every gold tree the set of its transitions of cost zero}."""
    brute = BruteForce(case.graph(n), GoldTrees(case.trees(n)))
    zeros = {}
    for c in brute.graph.nonterminal:
        free = {name: (v == 0).tolist() for name, v in brute.costs(c).items()}
        zeros[c] = [
            frozenset(name for name in free if free[name][i])
            for i in range(len(brute.golds))
        ]
    return zeros


def gold_paths(case, n):
    """(gold heads, zero-cost set, configuration) on all derivations of all trees."""
    graph, zeros = case.graph(n), zero_costs(case, n)
    for index, heads in enumerate(case.trees(n)):
        agenda, seen = [graph.initial], set()
        while agenda:
            c = agenda.pop()
            if c in seen or c not in zeros:
                continue
            seen.add(c)
            zero = zeros[c][index]
            yield heads, zero, c
            steps = graph.successors[c]
            agenda.extend(after for name, _, after in steps if name in zero)


def correct(oracle, view, c, gold):
    """The oracle's transitions in c, named as in the reference."""
    config = view.build(c)
    if hasattr(view, "pairs"):
        return {
            (name, i)
            for i, focused in view.pairs(config)
            if view.system.legal(focused)
            for name in oracle.correct(view.system, focused, gold)
        }
    return oracle.correct(view.system, config, gold)


# The rules along their own derivation


def follow(case, heads, rule, visit):
    """The heads at the end of the derivation that a rule follows on the reference."""
    system, c = case.reference, case.reference.initial(len(heads))
    while not system.is_terminal(c):
        name = rule(c, heads)
        visit(c, name)
        (c,) = (after for step, _, after in system.successors(c) if step == name)


@every_static
@sizes((1, 2, 3, 4, 5, 6), slow=(7,))
def test_static_oracle_follows_the_rules(case, variant, n):
    view, oracle = case.view(), StaticOracle(variant)
    for heads in case.trees(n):
        gold, config = GoldTree(heads), view.system.initial(n)

        def visit(c, name, gold=gold, config=config):
            assert view.shown(config) == c
            assert oracle.correct(view.system, config, gold) == {name}
            view.system.apply(config, name)

        follow(case, heads, RULES[case.system][variant], visit)
        assert view.system.is_terminal(config)
        view.system.finish(config)
        assert config.heads == heads


# All derivations of the gold tree


@with_static
@pytest.mark.parametrize("n", range(1, 6))
def test_oracles_on_gold_paths(case, n):
    view, golds = case.view(), {heads: GoldTree(heads) for heads in case.trees(n)}
    variants = [StaticOracle(variant) for variant in RULES[case.system]]
    for heads, zero, c in gold_paths(case, n):
        config, gold = view.build(c), golds[heads]
        static = [oracle.correct(view.system, config, gold) for oracle in variants]
        assert [len(names) for names in static] == [1, 1]
        non_deterministic = NonDeterministicOracle().correct(view.system, config, gold)
        assert static[0] | static[1] <= non_deterministic <= zero
        assert DynamicOracle().correct(view.system, config, gold) == zero
        if case.system != "arc-eager" or case.root == "last":
            # The variants differ in all that is left open, and in nothing else.
            assert static[0] | static[1] == zero


@pytest.mark.parametrize("case", MONOTONIC, ids=str)
@pytest.mark.parametrize("n", range(1, 6))
def test_ambiguity_on_gold_paths(case, n):
    """What competes on gold paths; easy-first may build anything first.

    Arc-eager with ROOT first: a word whose head is ROOT may also be shifted beside
    ROOT, it is attached to ROOT in the end.
    """
    found = {zero for _, zero, _ in gold_paths(case, n) if len(zero) > 1}
    if case.system == "easy-first":
        return
    allowed = {
        "arc-eager": [{"REDUCE", "SHIFT"}],
        "arc-hybrid": [{"RIGHT", "SHIFT"}],
        "arc-standard": [{"LEFT", "SHIFT"}],
    }[case.system]
    if (case.system, case.root) == ("arc-eager", "first"):
        allowed.append({"RIGHT", "SHIFT"})
    allowed = {frozenset(names) for names in allowed}
    assert found <= allowed
    if n >= 4:
        assert found == allowed


@easy_first
@pytest.mark.parametrize("n", range(1, 6))
def test_easy_first_is_valid(case, n):
    """GE10's isValid is what costs nothing where the gold tree is reachable."""
    view, golds = case.view(), {heads: GoldTree(heads) for heads in case.trees(n)}
    for heads, zero, c in gold_paths(case, n):
        valid = {
            transition
            for transition, arc, _ in case.graph(n).successors[c]
            if is_valid(c, heads, *arc)
        }
        assert valid == zero
        assert correct(NonDeterministicOracle(), view, c, golds[heads]) == zero


# Every configuration


@every_size()
def test_dynamic_oracle_everywhere(case, n):
    view, golds = case.view(), [GoldTree(heads) for heads in case.trees(n)]
    for c, zeros in zero_costs(case, n).items():
        for gold, zero in zip(golds, zeros, strict=True):
            found = correct(DynamicOracle(), view, c, gold)
            assert found
            assert found <= zero
            assert found == zero or case.system == "non-monotonic"
