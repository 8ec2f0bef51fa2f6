"""Arc-standard: derivations with all costs, arcs that exclude each other, one root.

The exhaustive comparison with brute force is in tests/oracles; what is here can be
followed by hand. Costs: Goldberg, Sartorio & Satta (2014).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcStandard, DynamicOracle, GoldTree, StaticOracle

from ..builders import projective_heads
from .derivations import assert_derivation, ends

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


def test_left_dependents_last():
    """LEFT only when the right dependents are there."""
    system = ArcStandard(root="first")
    c = assert_derivation(
        system,
        READERS,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 4}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 4, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 1}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 3, "RIGHT": 0}),
            ("LEFT", {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 4, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("RIGHT", {"LEFT": 3, "RIGHT": 0}),
            ("LEFT", {"LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert c.heads == READERS.heads


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(
    ("variant", "lefts"),
    [("left-first", [4, 6, 9, 13]), ("left-last", [4, 11, 14, 18])],
)
def test_static_oracles_take_these_derivations(root, variant, lefts):
    """The numbers of the steps that are LEFT, ROOT first; its arc is LEFT if last."""
    system, oracle = ArcStandard(root=root), StaticOracle(variant)
    c = system.initial(9)
    names = []
    while not system.is_terminal(c):
        (name,) = oracle.correct(system, c, READERS)
        system.apply(c, name)
        names.append(name)
    assert c.heads == READERS.heads
    found = [i for i, name in enumerate(names, 1) if name == "LEFT"]
    if root == "last":
        # One SHIFT less at the beginning, and ROOT takes its word at the end.
        lefts = [i - 1 for i in lefts] + [19]
    assert found == lefts


def test_root_last():
    """She <- ate -> soup, cold <- soup: ROOT is pushed and takes ate."""
    system, gold = ArcStandard(root="last"), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 2, "RIGHT": 1}),
            ("LEFT", {"SHIFT": 2, "LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert system.is_terminal(c)
    assert (c.stack, c.buffer) == ((0,), ())
    assert c.heads == gold.heads


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


# ---- not arc-decomposable ------------------------------------------------------------


@pytest.mark.parametrize("root", ROOTS)
def test_two_reachable_arcs_that_exclude_each_other(root):
    """Stack a, b, c: both (c,b) and (b,a) are reachable, together they are not
    (Goldberg & Nivre 2013, section 4.3)."""
    system = ArcStandard(root=root)
    stack, buffer = ([0, 1, 2, 3], []) if root == "first" else ([1, 2, 3], [0])
    c = system.configuration(3, stack=stack, buffer=buffer)
    found = ends(system, c)
    assert any(heads[1] == 3 for heads in found)
    assert any(heads[0] == 2 for heads in found)
    assert not any(heads[:2] == (2, 3) for heads in found)
    # Each alone would make its transition the right one.
    left, right = ({"LEFT": 0, "RIGHT": 1}, {"LEFT": 1, "RIGHT": 0})
    for heads, costs in [([None, 3, None], left), ([2, None, None], right)]:
        assert system.costs(c, GoldTree(heads)).items() >= costs.items()
    # Together, one is lost whatever happens: LEFT does not lose it again.
    assert system.costs(c, GoldTree([2, 3, 0])).items() >= left.items()


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


# ---- legal transitions ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "parts", "legal"),
    [
        ("first", {"buffer": [0, 1, 2, 3]}, ["SHIFT"]),
        ("first", {"stack": [0], "buffer": [1, 2, 3]}, ["SHIFT"]),
        ("first", {"stack": [0, 1], "buffer": [2, 3]}, ["SHIFT", "RIGHT"]),
        ("first", {"stack": [0, 1, 2], "buffer": [3]}, ["SHIFT", "LEFT", "RIGHT"]),
        ("first", {"stack": [0, 1, 3]}, ["LEFT", "RIGHT"]),
        ("first", {"stack": [0]}, []),
        ("last", {"stack": [1], "buffer": [2, 3, 0]}, ["SHIFT"]),
        ("last", {"stack": [1, 3], "buffer": [0]}, ["SHIFT", "LEFT", "RIGHT"]),
        # ROOT takes all that is left, and is taken by nothing.
        ("last", {"stack": [1, 3, 0]}, ["LEFT"]),
        ("last", {"stack": [0]}, []),
    ],
)
def test_legal(root, parts, legal):
    system = ArcStandard(root=root)
    c = system.configuration(3, **parts)
    assert system.legal(c) == legal
    assert system.is_terminal(c) == (legal == [])
    assert list(system.costs(c, GoldTree([None] * 3))) == legal


def test_effects():
    system = ArcStandard(root="first")
    start = system.configuration(3, stack=[0, 1, 2], buffer=[3])
    for name, stack, buffer, arcs in [
        ("SHIFT", (0, 1, 2, 3), (), ()),
        ("LEFT", (0, 2), (3,), ((2, "a", 1),)),
        ("RIGHT", (0, 1), (3,), ((1, "a", 2),)),
    ]:
        c = start.copy()
        system.apply(c, name, label=None if name == "SHIFT" else "a")
        assert (c.stack, c.buffer, c.arcs) == (stack, buffer, arcs)


@pytest.mark.parametrize(
    ("root", "buffer"), [("first", (0, 1, 2)), ("last", (1, 2, 0))]
)
def test_initial(root, buffer):
    assert ArcStandard().root == "first"
    c = ArcStandard(root=root).initial(2)
    assert (c.stack, c.buffer, c.arcs) == ((), buffer, ())


# ---- one root ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root", "parts", "legal"),
    [
        ("first", {"stack": [0, 1], "buffer": [2, 3]}, ["SHIFT"]),
        ("first", {"stack": [0, 1, 3]}, ["LEFT", "RIGHT"]),
        ("first", {"stack": [0, 3]}, ["RIGHT"]),
        ("last", {"stack": [1, 3], "buffer": [0]}, ["LEFT", "RIGHT"]),
        ("last", {"stack": [3], "buffer": [0]}, ["SHIFT"]),
        ("last", {"stack": [3, 0]}, ["LEFT"]),
    ],
)
def test_legal_with_one_root(root, parts, legal):
    system = ArcStandard(root=root, single_root=True)
    c = system.configuration(3, **parts)
    assert system.legal(c) == legal


def test_one_root_first():
    """Birds <- sing -> well: Birds waits until sing has well."""
    system, gold = ArcStandard(root="first", single_root=True), GoldTree([2, 0, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("RIGHT", {"LEFT": 3, "RIGHT": 0}),
            ("LEFT", {"LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"RIGHT": 0}),
        ],
    )
    assert c.heads == gold.heads


def test_one_root_last():
    """She <- ate -> soup, cold <- soup: ROOT is pushed onto one word."""
    system, gold = ArcStandard(root="last", single_root=True), GoldTree([2, 0, 4, 2])
    c = assert_derivation(
        system,
        gold,
        [
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 0, "RIGHT": 3}),
            ("SHIFT", {"SHIFT": 0, "LEFT": 3, "RIGHT": 1}),
            ("LEFT", {"LEFT": 0, "RIGHT": 2}),
            ("RIGHT", {"LEFT": 3, "RIGHT": 0}),
            ("LEFT", {"LEFT": 0, "RIGHT": 2}),
            ("SHIFT", {"SHIFT": 0}),
            ("LEFT", {"LEFT": 0}),
        ],
    )
    assert c.heads == gold.heads
