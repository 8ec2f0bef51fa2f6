"""The comparison with exhaustive search finds a wrong cost."""

import pytest

from .brute_force import BruteForce, GoldTrees
from .cases import CASES, COVINGTON
from .comparison import compare


@pytest.mark.parametrize("case", [*CASES, COVINGTON], ids=str)
def test_a_wrong_cost_is_found(case):
    """Where every transition but the first costs one less, if it costs anything."""
    brute = BruteForce(case.graph(3), GoldTrees(case.trees(3)))
    view = case.view()

    def costs_at(c):
        right = view.costs(view.build(c))

        def wrong(gold):
            first, *others = right(gold).items()
            return dict([first, *((name, max(cost - 1, 0)) for name, cost in others)])

        return wrong

    compared, wrong, examples = compare(brute, costs_at)
    assert 0 < wrong < compared
    assert examples
