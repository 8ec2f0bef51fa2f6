"""Non-monotonic arc-eager: what can be followed by hand.

Legality and costs are compared with brute force in tests/oracles, and what holds for
every system in `test_every_system`. Source: Honnibal & Johnson 2015.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import GoldTree, NonMonotonicArcEager

from ..builders import walk, walks
from .derivations import assert_derivation


def test_three_mistakes_are_repaired():
    """She <- ate -> soup, cold <- soup: mistakes, none of which costs an arc."""
    system, gold = NonMonotonicArcEager(), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            # ate should have taken She.
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 1}),
            # ate takes cold, whose head is soup.
            ("RIGHT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 0, "UNSHIFT": 0}),
            ("LEFT", {"SHIFT": 0, "REDUCE": 1, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 0, "UNSHIFT": 0}),
            ("REDUCE", {"REDUCE": 0, "LEFT": 1}),
            ("UNSHIFT", {"LEFT": 1, "UNSHIFT": 0}),
            # ate cannot be shifted onto She again.
            ("LEFT", {"LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert c.heads == gold.heads


def test_what_the_old_head_knew_is_forgotten():
    """Features see the dependents of a node, their number and their labels."""
    system = NonMonotonicArcEager()
    c = system.configuration(
        4, stack=[1, 3], buffer=[4, 0], arcs=[(1, "a", 2), (1, "b", 3)]
    )
    system.apply(c, "LEFT", label="c")
    assert c.arcs == ((1, "a", 2), (4, "c", 3))
    assert (c.dependents(1), c.dependents(4)) == ((2,), (3,))


@pytest.mark.parametrize(
    ("gold_label", "cost"),
    [("a", 1), ("b", 0), (None, 1)],
)
def test_a_replaced_arc_with_a_wrong_label_had_its_cost(gold_label, cost):
    system, gold = NonMonotonicArcEager(), GoldTree([0, 1, 1], ["r", gold_label, "x"])
    c = system.configuration(3, stack=[1, 2], buffer=[3, 0], arcs=[(1, "a", 2)])
    assert system.cost(c, gold, "LEFT", label="z") == cost


@given(st.data(), st.integers(1, 8), st.booleans())
def test_marks_are_kept_in_copies_and_by_hand(data, n, single_root):
    system = NonMonotonicArcEager(single_root=single_root)
    c = walk(system, n, data.draw(walks(system, n)))
    by_hand = system.configuration(
        n, stack=c.stack, buffer=c.buffer, arcs=c.arcs, marked=c.marked
    )
    for same in (by_hand, c.copy()):
        assert same.marked == c.marked
        assert system.legal(same) == system.legal(c)


def test_settings_that_are_not_offered():
    with pytest.raises(ValueError, match="no root placement 'none': expected one of"):
        NonMonotonicArcEager("none")
    with pytest.raises(ValueError, match="no node 4 in a sentence of 3 words"):
        NonMonotonicArcEager().configuration(3, marked=[4])
