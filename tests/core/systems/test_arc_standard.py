"""Arc-standard: derivations with all costs, and what they must not depend on.

Legality and costs are compared with brute force in tests/oracles; what is here can be
followed by hand. Costs: Goldberg, Sartorio & Satta (2014).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcStandard, DynamicOracle, GoldTree

from ..builders import projective_heads
from .derivations import assert_derivation

# Young <- readers <- ask -> questions, hard <- questions -> about -> books -> old,
# ask -> full stop
READERS = GoldTree([2, 3, 0, 5, 3, 5, 8, 6, 3])
ROOTS = ("first", "last")


# ---- derivations ---------------------------------------------------------------------


def test_left_dependents_first():
    """LEFT as soon as there is a dependent; a word is popped when it is finished."""
    system = ArcStandard(root="first")
    c = assert_derivation(
        system,
        READERS,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            # Without LEFT something must come between Young and its head.
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            # readers can wait until ask has its right dependents.
            ("LEFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 4}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 3, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("RIGHT", {"LEFT": 2, "RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((0,), ())
    assert c.heads == READERS.heads


def test_four_mistakes_cost_four_words():
    """She <- ate -> soup, cold <- soup: She takes ate, and all is lost but one."""
    system, gold = ArcStandard(root="first"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("RIGHT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 1}),
            # cold takes soup.
            ("RIGHT", {"LEFT": 0, "RIGHT": 1}),
            ("RIGHT", {"LEFT": 0, "RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert c.heads == (0, 1, 1, 3)


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
