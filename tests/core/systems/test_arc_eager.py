"""Arc-eager: derivations with all costs, preconditions, labels, the end of parsing.

The exhaustive comparison with brute force is in tests/oracles; what is here can be
followed by hand. Formulas: Goldberg & Nivre (2013), sections 4.1 and 4.5.
"""

import pytest

from spacy_dynoracle import ArcEager, GoldTree

from ..builders import ROOTS
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


def test_reduce_only_where_needed():
    """We <- saw -> dogs, saw -> late, very <- late: dogs stays while very is read."""
    system, gold = ArcEager(root="last"), GoldTree([2, 0, 2, 5, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 3, "RIGHT": 0}),
            # Two derivations part here.
            ("SHIFT", {"SHIFT": 0, "REDUCE": 0, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 2}),
            ("REDUCE", {"SHIFT": 1, "REDUCE": 0, "RIGHT": 1}),
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


def test_root_first():
    """She <- ate -> soup, cold <- soup, ROOT -> ate: ROOT takes ate now or later."""
    system, gold = ArcEager(root="first"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 0, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "REDUCE": 1, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "REDUCE": 1, "RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert c.heads == gold.heads
    assert c.stack == (0, 2, 4)


def test_root_first_with_late_attachment():
    """We <- saw -> dogs, saw -> late, very <- late: saw gets its head at the end."""
    system, gold = ArcEager(root="first"), GoldTree([2, 0, 2, 5, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 0}),
            # LEFT would lose dogs, late and the arc from ROOT.
            ("RIGHT", {"SHIFT": 1, "LEFT": 3, "RIGHT": 0}),
            ("REDUCE", {"SHIFT": 0, "REDUCE": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert c.heads == (2, None, 2, 5, 2)
    system.finish(c, label="root")
    assert c.heads == gold.heads
    assert c.arcs[1] == (0, "root", 2)


def test_no_root_node():
    """She <- ate -> soup, cold <- soup: parsing stops at the end of the buffer."""
    system, gold = ArcEager(root="none"), GoldTree([2, 0, 4, 2])
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
        ],
    )
    assert system.is_terminal(c)
    assert c.stack == (2, 4)
    system.finish(c)
    assert c.heads == gold.heads


# ---- formulas that are easily got wrong ----------------------------------------------


def test_footnote_11_only_headless_dependents_are_lost():
    """ROOT -> Listen, birds <- sing, ROOT -> sing.

    After the wrong arc Listen -> birds, shifting sing loses nothing more.
    """
    system, gold = ArcEager(root="last"), GoldTree([0, 3, 0])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("RIGHT", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "REDUCE": 0, "RIGHT": 1}),
            ("LEFT", {"LEFT": 0}),
            ("REDUCE", {"REDUCE": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert c.heads == (0, 1, 0)
    # Had birds no head yet, sing would lose it.
    c = system.configuration(3, stack=[1, 2], buffer=[3, 0])
    assert system.costs(c, gold) == {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}


def test_right_loses_the_arc_from_b_to_s():
    """1 <- 2, ROOT -> 2: the dependents term of RIGHT includes s."""
    system = ArcEager(root="last")
    c = system.configuration(2, stack=[1], buffer=[2, 0])
    gold = GoldTree([2, 0])
    assert system.costs(c, gold) == {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}


def test_left_loses_the_arc_from_s_to_b():
    """ROOT -> 1 -> 2 -> 3: the dependents term of LEFT includes b."""
    system = ArcEager(root="last")
    c = system.configuration(3, stack=[1, 2], buffer=[3, 0])
    gold = GoldTree([0, 1, 2])
    assert system.costs(c, gold) == {"SHIFT": 1, "LEFT": 1, "RIGHT": 0}


@pytest.mark.parametrize(
    ("root", "costs"),
    [
        # ROOT waits in the buffer, or comes back at the end.
        ("last", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
        ("first", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
        ("none", {"SHIFT": 0, "LEFT": 1, "RIGHT": 1}),
    ],
)
def test_arcs_from_root_are_lost_to_other_heads(root, costs):
    """ROOT -> 1, ROOT -> 2."""
    system = ArcEager(root=root)
    buffer = [2, 0] if root == "last" else [2]
    stack = [0, 1] if root == "first" else [1]
    c = system.configuration(2, stack=stack, buffer=buffer)
    assert system.costs(c, GoldTree([0, 0])) == costs


def test_reduce_loses_dependents_in_the_buffer():
    """ROOT -> 1 -> 2 -> {3, 4}."""
    system = ArcEager()
    c = system.configuration(4, stack=[1, 2], buffer=[3, 4, 0], arcs=[(1, None, 2)])
    costs = system.costs(c, GoldTree([0, 1, 2, 2]))
    assert costs == {"SHIFT": 1, "REDUCE": 2, "RIGHT": 0}


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


def test_transitions_without_label_cost_the_same():
    system = ArcEager()
    c = system.configuration(3, stack=[1, 2], buffer=[3, 0], arcs=[(1, None, 2)])
    gold = GoldTree([0, 1, 2], ["root", "obj", "nmod"])
    assert system.cost(c, gold, "SHIFT") == 1
    assert system.cost(c, gold, "REDUCE") == 1
    assert system.cost(c, gold, "RIGHT", label="nmod") == 0
    assert system.cost(c, gold, "RIGHT", label="obj") == 1


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


# ---- partial gold --------------------------------------------------------------------


@pytest.mark.parametrize("root", ROOTS)
def test_nothing_known_costs_nothing(root):
    system, gold = ArcEager(root=root), GoldTree([None, None, None])
    c = system.initial(3)
    while not system.is_terminal(c):
        costs = system.costs(c, gold)
        assert set(costs.values()) == {0}
        system.apply(c, list(costs)[-1])


def test_only_known_heads_count():
    """? -> We, ? -> saw, saw -> dogs: popping saw is all that can go wrong."""
    system, gold = ArcEager(), GoldTree([None, None, 2])
    assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("RIGHT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
            ("REDUCE", {"SHIFT": 1, "REDUCE": 1, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}),
        ],
    )


# ---- preconditions and errors --------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "parts", "legal"),
    [
        ("last", {"buffer": [1, 2, 3, 0]}, ["SHIFT"]),
        ("last", {"stack": [1], "buffer": [2, 3, 0]}, ["SHIFT", "LEFT", "RIGHT"]),
        (
            "last",
            {"stack": [1, 2], "buffer": [3, 0], "arcs": [(1, None, 2)]},
            ["SHIFT", "REDUCE", "RIGHT"],
        ),
        # ROOT is never shifted and never a dependent.
        ("last", {"stack": [1], "buffer": [0]}, ["LEFT"]),
        ("last", {"stack": [3], "buffer": [0], "arcs": [(1, None, 3)]}, ["REDUCE"]),
        ("last", {"buffer": [0]}, []),
        # ROOT is neither reduced nor attached.
        ("first", {"stack": [0], "buffer": [1, 2, 3]}, ["SHIFT", "RIGHT"]),
        ("first", {"stack": [0, 3]}, []),
        ("none", {"buffer": [3]}, ["SHIFT"]),
        ("none", {"stack": [2, 3]}, []),
    ],
)
def test_legal(root, parts, legal):
    system = ArcEager(root=root)
    c = system.configuration(3, **parts)
    assert system.legal(c) == legal
    assert system.is_terminal(c) == (legal == [])
    assert list(system.costs(c, GoldTree([None] * 3))) == legal


def test_a_transition_without_arc_has_no_label():
    system = ArcEager()
    with pytest.raises(ValueError, match="SHIFT adds no arc"):
        system.apply(system.initial(2), "SHIFT", label="obj")


# ---- tree constraint -----------------------------------------------------------------


def end_of(system, c):
    """Names of the transitions that are forced at the end, until it is reached."""
    names = []
    while not system.is_terminal(c):
        (name,) = system.legal(c)
        system.apply(c, name)
        names.append(name)
    return names


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


def test_unshift_below_root_first():
    system = ArcEager(root="first", tree_constraint=True)
    c = system.initial(2)
    system.apply(c, "SHIFT")
    system.apply(c, "RIGHT")
    assert system.legal(c) == ["REDUCE"]
    system.apply(c, "REDUCE")
    assert system.legal(c) == ["UNSHIFT"]
    system.apply(c, "UNSHIFT")
    assert (c.stack, c.buffer) == ((0,), (1,))
    assert end_of(system, c) == ["RIGHT", "REDUCE"]
    assert c.heads == (0, 1)


def test_root_last_takes_one_word_only():
    system = ArcEager(root="last", tree_constraint=True)
    c = system.initial(2)
    system.apply(c, "SHIFT")
    system.apply(c, "SHIFT")
    # LEFT would give ROOT its first of two dependents.
    assert system.legal(c) == ["UNSHIFT"]
    system.apply(c, "UNSHIFT")
    assert (c.stack, c.buffer) == ((1,), (2, 0))
    assert system.legal(c) == ["LEFT", "RIGHT"]
    system.apply(c, "LEFT")
    # The survivor goes back so that ROOT can take it.
    assert end_of(system, c) == ["SHIFT", "LEFT"]
    assert c.heads == (2, 0)
