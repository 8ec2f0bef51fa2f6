"""Arc-standard: what costs must not depend on.

Legality and costs are compared with brute force in tests/oracles.
Costs: Goldberg, Sartorio & Satta (2014).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcStandard, DynamicOracle, GoldTree

from ..builders import projective_heads

ROOTS = ("first", "last")


# ---- costs are the same however they are asked for -----------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize("root", ROOTS)
@given(data=st.data())
def test_costs_do_not_depend_on_what_was_asked_before(root, data):
    """Neither twice, nor in another order, nor for other trees in between."""
    system = ArcStandard(root=root)
    trees = [data.draw(projective_heads(7, min_words=2)) for _ in range(2)]
    configurations = []
    for heads in trees:
        c = system.initial(len(heads))
        while not system.is_terminal(c):
            configurations.append((c.copy(), GoldTree(heads)))
            system.apply(c, data.draw(st.sampled_from(system.legal(c))))
    first = [system.costs(c, gold) for c, gold in configurations]
    again = [system.costs(c, gold) for c, gold in configurations[::-1]]
    assert again[::-1] == first
    for (c, gold), costs in zip(configurations, first, strict=True):
        names = data.draw(st.permutations(list(costs)))
        assert {name: system.cost(c, gold, name) for name in names} == costs


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("shifts", [0, 300])
def test_long_sentences_without_a_known_head(root, shifts):
    """Nothing that could be lost makes no table."""
    n = 300
    system, gold = ArcStandard(root=root), GoldTree([None] * n)
    c = system.initial(n)
    for _ in range(shifts):
        system.apply(c, "SHIFT")
    while not system.is_terminal(c):
        costs = system.costs(c, gold)
        assert set(costs.values()) == {0}
        system.apply(c, list(costs)[-1])
    assert None not in c.heads


@pytest.mark.parametrize("root", ROOTS)
def test_long_sentences_with_few_known_heads(root):
    """Every tenth word depends on the tenth one before it."""
    n = 300
    heads = [None] * n
    for d in range(20, n + 1, 10):
        heads[d - 1] = d - 10
    system, gold = ArcStandard(root=root), GoldTree(heads)
    c = system.initial(n)
    while not system.is_terminal(c):
        system.apply(c, sorted(DynamicOracle().correct(system, c, gold))[0])
    assert all(h in (None, f) for h, f in zip(heads, c.heads, strict=True))
