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


def test_root_last():
    """The same tree with ROOT behind the full stop."""
    system = ArcHybrid(root="last")
    c = assert_derivation(
        system,
        READERS,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            # ask would lose ROOT, questions and the full stop.
            ("SHIFT", {"SHIFT": 0, "LEFT": 3}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2}),
            # ROOT could take the full stop, too.
            ("RIGHT", {"LEFT": 1, "RIGHT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((), (0,))
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


# ---- formulas ------------------------------------------------------------------------


def test_left_loses_the_item_below_and_the_rest_of_the_buffer():
    """1 -> 2, or 4 -> 2: LEFT with 3 at the front loses either."""
    system = ArcHybrid(root="first")
    c = system.configuration(4, stack=[0, 1, 2], buffer=[3, 4])
    for heads, left in [([0, 1, 0, 0], 1), ([0, 4, 0, 0], 1), ([0, 3, 0, 0], 0)]:
        assert system.costs(c, GoldTree(heads))["LEFT"] == left
    # ROOT, below s1, was out of reach already.
    assert system.costs(c, GoldTree([0, 0, None, None]))["LEFT"] == 0


def test_dependents_in_the_buffer_are_lost_with_the_top():
    """2 -> 3, 2 -> 4"""
    system = ArcHybrid(root="first")
    c = system.configuration(4, stack=[0, 1, 2], buffer=[3, 4])
    costs = system.costs(c, GoldTree([0, 1, 2, 2]))
    assert costs == {"SHIFT": 0, "LEFT": 3, "RIGHT": 2}


def test_shift_loses_dependents_and_heads_on_the_stack():
    """3 -> 1, 3 -> 2; the head of 3 is ROOT, which is not next to it."""
    system = ArcHybrid(root="first")
    c = system.configuration(3, stack=[0, 1, 2], buffer=[3])
    assert system.costs(c, GoldTree([3, 3, 0])) == {"SHIFT": 3, "LEFT": 0, "RIGHT": 1}
    # With s0 as its head nothing is lost.
    assert system.costs(c, GoldTree([0, 1, 2]))["SHIFT"] == 0


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


def test_effects():
    system = ArcHybrid(root="first")
    start = system.configuration(3, stack=[0, 1, 2], buffer=[3])
    for name, stack, buffer, arcs in [
        ("SHIFT", (0, 1, 2, 3), (), ()),
        ("LEFT", (0, 1), (3,), ((3, "a", 2),)),
        ("RIGHT", (0, 1), (3,), ((1, "a", 2),)),
    ]:
        c = start.copy()
        system.apply(c, name, label=None if name == "SHIFT" else "a")
        assert (c.stack, c.buffer, c.arcs) == (stack, buffer, arcs)


@pytest.mark.parametrize(
    ("root", "stack", "buffer"),
    [("first", (), (0, 1, 2)), ("last", (), (1, 2, 0))],
)
def test_initial(root, stack, buffer):
    assert ArcHybrid().root == "first"
    c = ArcHybrid(root=root).initial(2)
    assert (c.stack, c.buffer, c.arcs) == (stack, buffer, ())


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


def test_one_root_first():
    """Birds <- sing -> well: the formulas stay the same."""
    system, gold = ArcHybrid(root="first", single_root=True), GoldTree([2, 0, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2}),
            ("RIGHT", {"RIGHT": 0}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert c.heads == gold.heads


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


def test_the_root_at_the_bottom_of_the_stack():
    """ROOT -> 1 -> {2, 3}: only as long as it is there is (ROOT,1) reachable."""
    gold = GoldTree([0, 1, 1])
    for single_root, left in [(True, 3), (False, 3)]:
        system = ArcHybrid(root="last", single_root=single_root)
        c = system.configuration(3, stack=[1], buffer=[2, 3, 0])
        assert system.costs(c, gold) == {"SHIFT": 0, "LEFT": left}
    # ROOT -> 2, which stands on 1: lost already if there is one root.
    gold = GoldTree([2, 0, 2])
    for single_root, left in [(True, 1), (False, 2)]:
        system = ArcHybrid(root="last", single_root=single_root)
        c = system.configuration(3, stack=[1, 2], buffer=[3, 0])
        assert system.costs(c, gold) == {"SHIFT": 0, "LEFT": left, "RIGHT": left}
