"""Easy-first: derivations with the costs for all pairs, the focus, one root.

The exhaustive comparison with brute force is in tests/oracles; what is here can be
followed by hand. Goldberg & Elhadad (2010), section 3; Goldberg & Nivre (2013), 4.5.
"""

import pytest

from spacy_dynoracle import (
    DynamicOracle,
    EasyFirst,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)

from .derivations import assert_easy_derivation, costs_of_pairs

# the <- clock, old <- clock <- stopped -> without -> warning
CLOCK = GoldTree([3, 3, 4, 0, 4, 5])


def pairs(system, c):
    """What is legal for each pair."""
    found = []
    for pair in range(1, len(c.stack) + len(c.buffer)):
        system.focus(c, pair)
        found.append(system.legal(c))
    return found


# ---- derivations ---------------------------------------------------------------------


def test_easiest_first():
    """The adjective, the object of the preposition, and only then what is far apart."""
    system = EasyFirst()
    c = assert_easy_derivation(
        system,
        CLOCK,
        [
            (
                3,
                "LEFT",
                [
                    {"RIGHT": 1},
                    {"LEFT": 1, "RIGHT": 1},
                    {"LEFT": 0, "RIGHT": 3},
                    {"LEFT": 2, "RIGHT": 3},
                    {"LEFT": 3, "RIGHT": 1},
                    {"LEFT": 2, "RIGHT": 0},
                ],
            ),
            (
                5,
                "RIGHT",
                [
                    {"RIGHT": 1},
                    {"LEFT": 0, "RIGHT": 2},
                    {"LEFT": 1, "RIGHT": 3},
                    {"LEFT": 3, "RIGHT": 1},
                    {"LEFT": 2, "RIGHT": 0},
                ],
            ),
            (
                2,
                "LEFT",
                [
                    {"RIGHT": 1},
                    {"LEFT": 0, "RIGHT": 2},
                    {"LEFT": 1, "RIGHT": 3},
                    {"LEFT": 3, "RIGHT": 0},
                ],
            ),
            (
                3,
                "RIGHT",
                [{"RIGHT": 1}, {"LEFT": 0, "RIGHT": 3}, {"LEFT": 3, "RIGHT": 0}],
            ),
            (2, "LEFT", [{"RIGHT": 1}, {"LEFT": 0, "RIGHT": 2}]),
            (1, "RIGHT", [{"RIGHT": 0}]),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((0,), ())
    assert c.heads == CLOCK.heads


def test_root_takes_everything():
    """She <- ate -> soup, cold <- soup: every arc from ROOT but one is wrong."""
    c = assert_easy_derivation(
        EasyFirst(),
        GoldTree([2, 0, 4, 2]),
        [
            (
                1,
                "RIGHT",
                [
                    {"RIGHT": 1},
                    {"LEFT": 0, "RIGHT": 3},
                    {"LEFT": 3, "RIGHT": 1},
                    {"LEFT": 0, "RIGHT": 2},
                ],
            ),
            # ate still waits for soup.
            (
                1,
                "RIGHT",
                [{"RIGHT": 1}, {"LEFT": 2, "RIGHT": 1}, {"LEFT": 0, "RIGHT": 2}],
            ),
            (1, "RIGHT", [{"RIGHT": 1}, {"LEFT": 0, "RIGHT": 1}]),
            (1, "RIGHT", [{"RIGHT": 0}]),
        ],
    )
    assert c.heads == (0, 0, 0, 0)


# ---- oracles -------------------------------------------------------------------------


@pytest.mark.parametrize("oracle", [NonDeterministicOracle(), DynamicOracle()])
def test_correct_are_gold_arcs_to_finished_words(oracle):
    """isValid of Goldberg & Elhadad (2010): two of twelve in the beginning."""
    system = EasyFirst()
    c = system.initial(6)
    found = {}
    for pair in range(1, 7):
        system.focus(c, pair)
        found[pair] = oracle.correct(system, c, CLOCK)
    assert found == {1: set(), 2: set(), 3: {"LEFT"}, 4: set(), 5: set(), 6: {"RIGHT"}}


def test_there_is_no_static_oracle():
    system = EasyFirst()
    with pytest.raises(ValueError, match="EasyFirst has no static oracle: use NonDet"):
        StaticOracle().correct(system, system.initial(6), CLOCK)


# ---- the focus -----------------------------------------------------------------------


def test_focus_moves_nothing_but_the_cut():
    system = EasyFirst()
    c = system.configuration(
        4, stack=[0, 2], buffer=[4], arcs=[(2, "a", 1), (4, "b", 3)]
    )
    for pair, stack, buffer in [
        (1, (0,), (2, 4)),
        (2, (0, 2), (4,)),
        (1, (0,), (2, 4)),
    ]:
        system.focus(c, pair)
        assert (c.stack, c.buffer) == (stack, buffer)
        assert c.arcs == ((2, "a", 1), (4, "b", 3))
        assert c.heads == (2, None, 4, None)


@pytest.mark.parametrize("pair", [-1, 0, 3, 4, 10**6])
def test_no_such_pair(pair):
    system = EasyFirst()
    c = system.initial(2)
    with pytest.raises(ValueError, match=rf"no pair {pair} in Config.*has 2 pairs"):
        system.focus(c, pair)
    assert (c.stack, c.buffer) == ((0,), (1, 2))


def test_no_pair_at_the_end():
    system = EasyFirst()
    for c in (system.initial(0), system.configuration(1, stack=[0])):
        with pytest.raises(ValueError, match="has 0 pairs"):
            system.focus(c, 1)
    with pytest.raises(TypeError):
        system.focus(None, 1)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_configurations_with_any_cut(cut):
    system, gold = EasyFirst(), GoldTree([2, 0, 4, 2])
    nodes = [0, 1, 2, 4]
    c = system.configuration(
        4, stack=nodes[:cut], buffer=nodes[cut:], arcs=[(4, None, 3)]
    )
    found = costs_of_pairs(system, c, gold)
    assert found == [{"RIGHT": 1}, {"LEFT": 0, "RIGHT": 3}, {"LEFT": 3, "RIGHT": 0}]
    assert system.costs(c, gold) == found[cut - 1]


def test_nothing_is_in_focus():
    """All of the list on one side: there is no pair to speak of."""
    system, gold = EasyFirst(), GoldTree([2, 0])
    for parts in ({"stack": [0, 1, 2]}, {"buffer": [0, 1, 2]}):
        c = system.configuration(2, **parts)
        assert not system.is_terminal(c)
        assert system.legal(c) == []
        assert system.costs(c, gold) == {}
        system.focus(c, 2)
        assert system.costs(c, gold) == {"LEFT": 0, "RIGHT": 2}


# ---- legal transitions ---------------------------------------------------------------


def test_legal():
    system = EasyFirst()
    assert pairs(system, system.initial(3)) == [["RIGHT"], *[["LEFT", "RIGHT"]] * 2]
    assert pairs(system, system.configuration(3, stack=[0, 3])) == [["RIGHT"]]
    assert pairs(system, system.configuration(3, stack=[0])) == []


def test_effects():
    system = EasyFirst()
    start = system.initial(3)
    system.focus(start, 2)
    for name, nodes, arc in [
        ("LEFT", (0, 2, 3), (2, "a", 1)),
        ("RIGHT", (0, 1, 3), (1, "a", 2)),
    ]:
        c = start.copy()
        system.apply(c, name, label="a")
        assert (c.stack + c.buffer, c.arcs) == (nodes, (arc,))


def test_initial():
    c = EasyFirst().initial(2)
    assert (c.stack, c.buffer, c.arcs) == ((0,), (1, 2), ())


def test_legal_with_one_root():
    """ROOT takes a word only when it is the last one."""
    system = EasyFirst(single_root=True)
    assert pairs(system, system.initial(3)) == [[], *[["LEFT", "RIGHT"]] * 2]
    c = system.configuration(3, stack=[0, 2, 3])
    assert pairs(system, c) == [[], ["LEFT", "RIGHT"]]
    assert pairs(system, system.configuration(3, stack=[0, 3])) == [["RIGHT"]]


def test_one_root():
    """She <- ate -> soup, cold <- soup: ate is attached too early."""
    c = assert_easy_derivation(
        EasyFirst(single_root=True),
        GoldTree([2, 0, 4, 2]),
        [
            (3, "LEFT", [{}, {"LEFT": 0, "RIGHT": 3}, {"LEFT": 3, "RIGHT": 1},
                         {"LEFT": 0, "RIGHT": 2}]),
            (3, "RIGHT", [{}, {"LEFT": 0, "RIGHT": 1}, {"LEFT": 0, "RIGHT": 1}]),
            (2, "RIGHT", [{}, {"LEFT": 0, "RIGHT": 0}]),
            (1, "RIGHT", [{"RIGHT": 0}]),
        ],
    )  # fmt: skip
    assert c.heads == (0, 3, 1, 3)
