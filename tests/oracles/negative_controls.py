"""Formulas and tables known to be wrong, and the right ones beside them.

The exhaustive search proves something only if it rejects these. Each entry says how
many comparisons (configuration, transition, tree) there are up to `largest` words, how
many costs are wrong, for how many zero is taken for non-zero or the reverse, and in
how many (configuration, tree) no transition seems to cost zero.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .brute_force import BruteForce, GoldTrees
from .cases import Case, case_of
from .formulas import (
    arc_eager_costs,
    arc_hybrid_costs,
    covington_costs,
    non_monotonic_costs,
)
from .tabular_oracle import LOST_TOO, NO_COLLAPSE, TabularOracle


@dataclass(eq=False)
class Control:
    """One way to compute costs; formulas(brute)(c): {transition: vector of costs}."""

    case: Case
    name: str
    formulas: Callable[[BruteForce], Callable[[Any], dict[str, Any]]]
    largest: int
    compared: int
    wrong: int = 0
    wrong_zero: int = 0
    without_zero: int = 0

    def __str__(self):
        return f"{self.case}: {self.name}"


def disagreements(brute, costs_of):
    """(comparisons, wrong costs, wrong zeros, nothing of cost zero) as in `Control`."""
    compared = wrong = wrong_zero = without_zero = 0
    for c in brute.graph.nonterminal:
        found = costs_of(c)
        for transition, costs in brute.costs(c).items():
            compared += costs.size
            wrong += np.count_nonzero(costs != found[transition])
            zero = (costs == 0) != (found[transition] == 0)
            wrong_zero += np.count_nonzero(zero)
        without_zero += np.count_nonzero(np.min(list(found.values()), axis=0) > 0)
    return compared, wrong, wrong_zero, without_zero


def totals(control):
    """`disagreements` of a control, summed over all numbers of words."""
    found = []
    for n in range(1, control.largest + 1):
        brute = BruteForce(control.case.graph(n), GoldTrees(control.case.trees(n)))
        found.append(disagreements(brute, control.formulas(brute)))
    return tuple(int(sum(column)) for column in zip(*found, strict=True))


def _arc_eager(name, *counts, **variant):
    def formulas(brute):
        return partial(arc_eager_costs, golds=brute.golds, **variant)

    return Control(case_of("arc-eager", "last"), name, formulas, 6, *counts)


def _non_monotonic(root, single_root, name, *counts, **variant):
    def formulas(brute):
        settings = {"root": root, "single_root": single_root, **variant}
        return partial(non_monotonic_costs, golds=brute.golds, **settings)

    case = case_of("non-monotonic", root, single_root)
    return Control(case, name, formulas, 5, *counts)


def _arc_hybrid(root, single_root, name, *counts, **variant):
    def formulas(brute):
        settings = {"root": root, "single_root": single_root, **variant}
        return partial(arc_hybrid_costs, golds=brute.golds, **settings)

    case = case_of("arc-hybrid", root, single_root)
    return Control(case, name, formulas, 6, *counts)


def _arc_standard(root, single_root, name, *counts, **variant):
    def formulas(brute):
        settings = {"single_root": single_root, **variant}
        return TabularOracle(brute.graph, brute.golds, **settings).costs

    case = case_of("arc-standard", root, single_root)
    return Control(case, name, formulas, 5, *counts)


def _covington(name, *counts, **variant):
    def formulas(brute):
        return partial(covington_costs, brute=brute, **variant)

    return Control(case_of("covington", "last"), name, formulas, 4, *counts)


CONTROLS = (
    _arc_eager("corrected", 11_459_758),
    _arc_eager("LEFT and RIGHT as printed", 11_459_758, 294_055, 74_361, literal=True),
    _arc_eager(
        "no headless condition", 11_459_758, 243_874, 87_874, headless_only=False
    ),
    _non_monotonic("last", False, "single arcs", 7_018_092),
    _non_monotonic("last", True, "single arcs", 2_196_461),
    _non_monotonic("first", False, "single arcs", 21_439_841),
    _non_monotonic("first", True, "single arcs", 6_998_125),
    _non_monotonic(
        *("last", False, "RIGHT of arc-eager", 7_018_092, 63_234, 37_392),
        headless_only=True,
    ),
    _non_monotonic(
        *("last", False, "nothing goes back", 7_018_092, 262_995, 245_211), back=False
    ),
    _non_monotonic(
        *("last", True, "any roots", 2_196_461, 237_128, 151_226, 108_982),
        adjusted=False,
    ),
    _arc_hybrid("first", False, "as printed", 8_805_720),
    _arc_hybrid("first", True, "as printed", 2_368_130),
    _arc_hybrid("last", False, "as printed", 7_654_573),
    _arc_hybrid("last", True, "adjusted", 2_367_219),
    _arc_hybrid(
        "last",
        True,
        "as printed",
        *(2_367_219, 298_342, 206_576, 141_311),
        adjusted=False,
    ),
    _arc_standard("first", False, "table", 276_441),
    _arc_standard("first", True, "table", 80_426),
    _arc_standard("last", False, "table", 319_116),
    _arc_standard("last", True, "table", 101_646),
    _arc_standard(
        "first", False, "buffer not collapsed", 276_441, 7_069, 5_919, rule=NO_COLLAPSE
    ),
    _arc_standard(
        "first", False, "dependents lost before", 276_441, 1_337, 889, rule=LOST_TOO
    ),
    _covington("unreachable arcs and cycles", 123_545),
    _covington("unreachable arcs alone", 123_545, 947, 480, 182, cycles=False),
    _covington("words passed are reachable", 123_545, 6_658, 5_922, 2_135, walk=False),
)
