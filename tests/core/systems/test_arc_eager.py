"""Arc-eager: derivations with all costs, labels, the end of parsing.

Legality and costs are compared with brute force in tests/oracles; what is here can be
followed by hand. Formulas: Goldberg & Nivre (2013), sections 4.1 and 4.5.
"""

import pytest

from spacy_dynoracle import ArcEager, GoldTree

from .derivations import assert_derivation

# ---- derivations ---------------------------------------------------------------------


def test_canonical_shift_reduce_derivation():
    """She <- ate -> soup, cold <- soup, ate below ROOT: no step has two best ones."""
    system, gold = ArcEager(root="last"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
            ("REDUCE", {"REDUCE": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert c.heads == gold.heads


def test_three_mistakes_cost_three_words():
    """She <- ate -> soup, cold <- soup: mistakes, and the best that is left."""
    system, gold = ArcEager(root="last"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            # She takes ate: both lose their heads.
            ("RIGHT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            # ate takes cold, whose head is soup.
            ("RIGHT", {"SHIFT": 0, "REDUCE": 1, "RIGHT": 1}),
            ("REDUCE", {"SHIFT": 1, "REDUCE": 0, "RIGHT": 1}),
            # ate is popped before soup.
            ("REDUCE", {"SHIFT": 1, "REDUCE": 1, "RIGHT": 0}),
            # Nothing is left to lose.
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            ("LEFT", {"LEFT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert c.heads == (0, 1, 2, 0)


# ---- labels --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold_label", "label", "cost"),
    [
        ("nsubj", "nsubj", 0),
        ("nsubj", "obj", 1),
        # Known head and unknown label: every label is right.
        (None, "obj", 0),
        # No label chosen: the structural cost.
        ("nsubj", None, 0),
    ],
)
def test_label_of_a_gold_arc(gold_label, label, cost):
    system = ArcEager()
    c = system.configuration(2, stack=[1], buffer=[2, 0])
    gold = GoldTree([2, 0], [gold_label, "root"])
    assert system.cost(c, gold, "LEFT", label=label) == cost


def test_labels_of_arcs():
    system = ArcEager()
    c = system.initial(3)
    for name, label in [("SHIFT", None), ("LEFT", "det"), ("SHIFT", None)]:
        system.apply(c, name, label=label)
    system.apply(c, "RIGHT", label="obj")
    system.apply(c, "REDUCE")
    system.apply(c, "LEFT")
    assert c.arcs == ((2, "det", 1), (0, None, 2), (2, "obj", 3))
    assert list(c.labels) == ["det", "obj"]


# ---- preconditions and errors --------------------------------------------------------


def test_a_transition_without_arc_has_no_label():
    system = ArcEager()
    with pytest.raises(ValueError, match="SHIFT adds no arc"):
        system.apply(system.initial(2), "SHIFT", label="obj")


# ---- tree constraint -----------------------------------------------------------------


def test_unshift_rebuilds_one_tree():
    """Three words without head on the stack (Nivre & Fernandez-Gonzalez 2014)."""
    system = ArcEager(root="none", tree_constraint=True)
    c = system.initial(3)
    for _ in range(3):
        system.apply(c, "SHIFT")
    assert c.end_seen
    assert system.legal(c) == ["UNSHIFT"]
    system.apply(c, "UNSHIFT")
    assert (c.stack, c.buffer, c.end_seen) == ((1, 2), (3,), True)
    # SHIFT is gone; an arc in either direction joins the two.
    assert system.legal(c) == ["LEFT", "RIGHT"]
    system.apply(c, "RIGHT", label="a")
    assert system.legal(c) == ["REDUCE"]
    system.apply(c, "REDUCE")
    assert system.legal(c) == ["UNSHIFT"]
    system.apply(c, "UNSHIFT")
    system.apply(c, "LEFT", label="b")
    assert (c.stack, c.buffer) == ((), (2,))
    assert system.is_terminal(c)
    system.finish(c, label="root")
    assert c.arcs == ((2, "b", 1), (0, "root", 2), (2, "a", 3))
