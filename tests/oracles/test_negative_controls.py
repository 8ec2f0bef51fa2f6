"""What the exhaustive search rejects, and the right formulas that it accepts."""

import pytest

from .brute_force import BruteForce, GoldTrees
from .comparison import compare
from .negative_controls import CONTROLS, disagreements, totals


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_formulas(control):
    """Most errors are silent: some transition always seems to cost nothing."""
    assert totals(control) == (
        control.compared,
        control.wrong,
        control.wrong_zero,
        control.without_zero,
    )


@pytest.mark.parametrize("control", CONTROLS, ids=str)
def test_comparison_with_the_package_would_find_the_same(control):
    """The formulas in the place of the package's costs."""
    case = control.case
    brute = BruteForce(case.graph(4), GoldTrees(case.trees(4)))
    costs_of = control.formulas(brute)

    def costs_at(c):
        found = costs_of(c)

        def costs(gold):
            tree = brute.golds.heads.index(gold.heads)
            return {name: costs[tree] for name, costs in found.items()}

        return costs

    compared, wrong, examples = compare(brute, costs_at)
    assert (compared, wrong) == disagreements(brute, costs_of)[:2]
    assert bool(wrong) == bool(examples) == bool(control.wrong)
