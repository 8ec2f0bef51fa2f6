"""Arc-hybrid: derivations with all costs, preconditions, one root.

The exhaustive comparison with brute force is in tests/oracles; what is here can be
followed by hand. Formulas: Goldberg & Nivre (2013), section 4.5.
"""

import pytest

from spacy_dynoracle import ArcHybrid, DynamicOracle, GoldTree, StaticOracle

from .derivations import assert_derivation

# Young <- readers <- ask -> questions, hard <- questions -> about -> books -> old,
# ask -> full stop
READERS = GoldTree([2, 3, 0, 5, 3, 5, 8, 6, 3])


# ---- derivations ---------------------------------------------------------------------


def test_right_as_soon_as_possible():
    """ROOT first: about takes books, questions takes about, ask takes questions."""
    system = ArcHybrid(root="first")
    c = assert_derivation(
        system,
        READERS,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 2}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            # Here ROOT, ask, questions, about, books are on the stack.
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((0,), ())
    assert c.heads == READERS.heads


@pytest.mark.parametrize(
    ("variant", "correct"), [("right", {"RIGHT"}), ("shift", {"SHIFT"})]
)
def test_a_finished_word_may_stay(variant, correct):
    """ROOT -> 1 -> 2, 1 -> 4 -> 3: 2 can be popped before 3 is read, or later."""
    system, gold = ArcHybrid(root="first"), GoldTree([0, 1, 4, 1])
    c = system.configuration(4, stack=[0, 1, 2], buffer=[3, 4])
    assert system.costs(c, gold) == {"SHIFT": 0, "LEFT": 1, "RIGHT": 0}
    assert DynamicOracle().correct(system, c, gold) == {"SHIFT", "RIGHT"}
    assert StaticOracle(variant).correct(system, c, gold) == correct


def test_four_mistakes_cost_four_words():
    """She <- ate -> soup, cold <- soup: mistakes, and the best that is left."""
    system, gold = ArcHybrid(root="first"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            # ate is pushed onto She: both lose their heads.
            ("SHIFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            # She takes ate before ate could take soup.
            ("RIGHT", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            # She takes cold, whose head is soup.
            ("RIGHT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert c.heads == (0, 1, 1, 1)


# ---- legal transitions ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "parts", "legal"),
    [
        # ROOT, which stands first, is pushed like a word.
        ("first", {"buffer": [0, 1, 2, 3]}, ["SHIFT"]),
        ("first", {"stack": [0], "buffer": [1, 2, 3]}, ["SHIFT"]),
        ("first", {"stack": [0, 1], "buffer": [2, 3]}, ["SHIFT", "LEFT", "RIGHT"]),
        ("first", {"stack": [0, 1, 3]}, ["RIGHT"]),
        ("first", {"stack": [0, 2]}, ["RIGHT"]),
        ("first", {"stack": [0]}, []),
        # ROOT, which stands last, is neither pushed nor attached.
        ("last", {"buffer": [1, 2, 3, 0]}, ["SHIFT"]),
        ("last", {"stack": [1], "buffer": [2, 3, 0]}, ["SHIFT", "LEFT"]),
        ("last", {"stack": [1, 2], "buffer": [3, 0]}, ["SHIFT", "LEFT", "RIGHT"]),
        ("last", {"stack": [1, 3], "buffer": [0]}, ["LEFT", "RIGHT"]),
        ("last", {"stack": [3], "buffer": [0]}, ["LEFT"]),
        ("last", {"buffer": [0]}, []),
    ],
)
def test_legal(root, parts, legal):
    system = ArcHybrid(root=root)
    c = system.configuration(3, **parts)
    assert system.legal(c) == legal
    assert system.is_terminal(c) == (legal == [])
    assert list(system.costs(c, GoldTree([None] * 3))) == legal


# ---- one root ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "parts", "legal"),
    [
        # ROOT takes a word only when no other one is left.
        ("first", {"stack": [0, 1], "buffer": [2, 3]}, ["SHIFT", "LEFT"]),
        ("first", {"stack": [0, 3]}, ["RIGHT"]),
        ("first", {"stack": [0, 1, 3]}, ["RIGHT"]),
        ("last", {"stack": [1, 3], "buffer": [0]}, ["RIGHT"]),
        ("last", {"stack": [3], "buffer": [0]}, ["LEFT"]),
        ("last", {"stack": [1], "buffer": [2, 3, 0]}, ["SHIFT", "LEFT"]),
    ],
)
def test_legal_with_one_root(root, parts, legal):
    system = ArcHybrid(root=root, single_root=True)
    c = system.configuration(3, **parts)
    assert system.legal(c) == legal


def test_one_root_last():
    """Birds <- sing -> well: what is pushed onto something can no more be the root."""
    system, gold = ArcHybrid(root="last", single_root=True), GoldTree([2, 0, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            # sing on top of Birds: neither of their arcs is left.
            ("SHIFT", {"SHIFT": 2, "LEFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert c.heads == (0, 1, 2)
