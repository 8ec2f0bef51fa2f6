"""Covington's system with jumps: a derivation with all costs, walks, one root.

Legality and costs are compared with brute force in tests/oracles; what is here can be
followed by hand.
"""

import pytest

from spacy_dynoracle import Covington, ErrorExploration, GoldTree

from ..builders import Tree, build_trainer, examples
from .derivations import assert_derivation


def test_crossing_arcs():
    """a <- friend <- came, came <- ROOT, friend -> singing."""
    system, gold = Covington(), GoldTree([2, 3, 0, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2, "PASS": 1}),
            # a cannot take came, which is above it.
            ("SHIFT", {"SHIFT": 0}),
            # came loses ROOT, and singing, friend and came would be a cycle.
            ("PASS", {"SHIFT": 1, "LEFT": 2, "RIGHT": 1, "PASS": 0}),
            ("RIGHT", {"SHIFT": 1, "RIGHT": 0, "PASS": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"LEFT": 0, "PASS": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((), (0,))
    assert c.heads == gold.heads


@pytest.mark.parametrize(
    ("arcs", "target", "cost"),
    [
        # The head of 5, to the left.
        ([(2, 5), (5, 4)], 2, 1),
        # Before the first word below 5.
        ([(5, 4), (4, 3)], 2, 0),
        ([(5, 4), (5, 3), (3, 1)], None, None),
        ([], None, None),
    ],
)
def test_jump(arcs, target, cost):
    """It loses arcs of words without a head."""
    system = Covington()
    arcs = [(head, None, word) for head, word in arcs]
    c = system.configuration(6, stack=range(1, 6), buffer=[6, 0], arcs=arcs)
    if target is None:
        assert "JUMP" not in system.legal(c)
        return
    assert system.costs(c, GoldTree([6, 6, 6, 6, 0, 0]))["JUMP"] == cost
    system.apply(c, "JUMP")
    assert c.stack == tuple(range(1, target + 1))


def test_shift_begins_the_next_walk_before_the_next_word():
    system = Covington()
    c = system.configuration(5, stack=[1], buffer=[4, 5, 0])
    system.apply(c, "SHIFT")
    assert (c.stack, c.buffer) == ((1, 2, 3, 4), (5, 0))


def test_one_root():
    """ROOT chooses one of the words that are left, and that takes the others."""
    system = Covington(single_root=True)
    c = system.configuration(3, stack=[1, 2, 3], buffer=[0])
    for name, legal in [
        ("PASS", ["LEFT", "PASS"]),
        ("LEFT", ["LEFT", "PASS"]),
        ("LEFT", ["LEFT"]),
        ("LEFT", ["LEFT"]),
    ]:
        assert system.legal(c) == legal
        system.apply(c, name)
    assert system.is_terminal(c)
    assert c.heads == (2, 0, 2)


def test_training_learns_the_shortest_derivation():
    """PASS and JUMP are as correct as SHIFT where no gold arc is left, but longer."""
    crossing = Tree(tuple("abcd"), tuple("ABCD"), (2, 3, 0, 2), tuple("xxxx"))
    trainer = build_trainer(
        ["x"], system=Covington(), exploration=ErrorExploration(k=1, p=0.9)
    )
    for iteration in range(1, 15):
        n_decisions, n_errors = trainer.train(examples([crossing], trainer), iteration)
    assert (n_decisions, n_errors) == (9, 0)
