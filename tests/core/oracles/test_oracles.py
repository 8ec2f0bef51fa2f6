"""Static, non-deterministic and dynamic oracles on single configurations."""

import pickle

import pytest

from spacy_dynoracle import (
    ArcEager,
    ArcHybridSwap,
    DynamicOracle,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)

from ..builders import SYSTEMS, options, restricted

ALL = [StaticOracle(), StaticOracle("shift"), NonDeterministicOracle(), DynamicOracle()]
every_oracle = pytest.mark.parametrize("oracle", ALL, ids=repr)

# We <- saw -> dogs, saw -> late, very <- late
AMBIGUOUS = GoldTree([2, 0, 2, 5, 2])


def before_very():
    """saw and dogs on the stack, very at the front: SHIFT and REDUCE are both right."""
    return ArcEager().configuration(
        5, stack=[2, 3], buffer=[4, 5, 0], arcs=[(2, None, 1), (2, None, 3)]
    )


@pytest.mark.parametrize(
    ("oracle", "text", "complete", "needs_full_tree"),
    [
        (StaticOracle(), "StaticOracle(variant=None)", False, True),
        (StaticOracle("reduce"), "StaticOracle(variant='reduce')", False, True),
        (StaticOracle("shift"), "StaticOracle(variant='shift')", False, True),
        (NonDeterministicOracle(), "NonDeterministicOracle()", False, False),
        (DynamicOracle(), "DynamicOracle()", True, False),
    ],
)
def test_what_oracles_say_of_themselves(oracle, text, complete, needs_full_tree):
    for same in (oracle, pickle.loads(pickle.dumps(oracle))):
        assert repr(same) == text
        assert bool(same.complete) == complete
        assert bool(same.needs_full_tree) == needs_full_tree


@pytest.mark.parametrize(
    ("oracle", "correct"),
    [
        (StaticOracle("reduce"), {"REDUCE"}),
        (StaticOracle("shift"), {"SHIFT"}),
        (NonDeterministicOracle(), {"SHIFT", "REDUCE"}),
        (DynamicOracle(), {"SHIFT", "REDUCE"}),
    ],
    ids=lambda x: repr(sorted(x) if isinstance(x, set) else x),
)
def test_two_correct_transitions(oracle, correct):
    assert oracle.correct(ArcEager(), before_very(), AMBIGUOUS) == correct


# Every oracle that a system has.
PAIRS = [
    (system, oracle)
    for system in SYSTEMS
    for oracle in [
        *(StaticOracle(variant) for variant in system.static_preferences),
        NonDeterministicOracle(),
        DynamicOracle(),
    ]
]


@pytest.mark.parametrize(("system", "oracle"), PAIRS, ids=repr)
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize(
    "heads",
    [
        (),
        (0,),
        (2, 0, 4, 2),
        (2, 0, 2, 5, 2),
        (0, 1, 1, 3),
        (2, 3, 0, 5, 3, 5, 8, 6, 3),
    ],
)
def test_each_oracle_rebuilds_the_tree(system, oracle, single_root, heads):
    if not isinstance(system, ArcEager):
        system = restricted(system, single_root)
    gold = GoldTree(heads)
    c = system.initial(len(heads))
    while not system.is_terminal(c):
        for pair in dict.fromkeys(pair for pair, _ in options(system, c)):
            if pair is not None:
                system.focus(c, pair)
            correct = oracle.correct(system, c, gold)
            if correct:
                break
        assert {system.costs(c, gold)[name] for name in correct} == {0}
        assert len(correct) == 1 or not isinstance(oracle, StaticOracle)
        system.apply(c, min(correct))
    system.finish(c)
    assert c.heads == heads


@pytest.mark.parametrize("system", SYSTEMS, ids=repr)
def test_first_variant_is_the_canonical_one(system):
    """What is said without a variant; systems without a static oracle say so."""
    c, gold = system.initial(2), GoldTree([2, 0])
    variants = {
        "ArcEager": ["reduce", "shift"],
        "ArcHybrid": ["right", "shift"],
        "ArcStandard": ["left-first", "left-last"],
    }.get(type(system).__name__, [])
    assert list(system.static_preferences) == variants
    if not variants:
        with pytest.raises(ValueError, match=f"{type(system).__name__} has no static"):
            StaticOracle().correct(system, c, gold)
        return
    while not system.is_terminal(c):
        (name,) = StaticOracle().correct(system, c, gold)
        assert StaticOracle(variants[0]).correct(system, c, gold) == {name}
        system.apply(c, name)
    with pytest.raises(ValueError, match=f"oracle 'lazy': expected .* {variants[0]!r}"):
        StaticOracle("lazy").correct(system, c, gold)


@pytest.mark.parametrize("heads", [(2, 3, 0, 2), (3, 4, 0, 3), (4, 3, 0, 3)])
def test_crossing_arcs_are_no_problem_for_swap(heads):
    system, gold = ArcHybridSwap(), GoldTree(heads)
    for oracle in (NonDeterministicOracle(), DynamicOracle()):
        c = system.initial(4)
        while not system.is_terminal(c):
            system.apply(c, max(oracle.correct(system, c, gold)))
        assert c.heads == heads
        with pytest.raises(ValueError, match="needs the head of every word"):
            oracle.correct(system, system.initial(2), GoldTree([None, 0]))


@every_oracle
def test_nothing_is_correct_at_the_end(oracle):
    system = ArcEager()
    c = system.configuration(1, buffer=[0], arcs=[(0, None, 1)])
    assert oracle.correct(system, c, GoldTree([0])) == set()


def test_dynamic_oracle_after_a_mistake():
    """dogs has been attached to We: what is left of the tree is still found."""
    c = ArcEager().configuration(5, stack=[1, 3], buffer=[4, 5, 0], arcs=[(1, None, 3)])
    assert DynamicOracle().correct(ArcEager(), c, AMBIGUOUS) == {"SHIFT", "REDUCE"}


def test_least_cost_where_no_cost_is_zero():
    """A gold tree with crossing arcs: 1 -> 3 and 2 -> 4."""
    system, gold = ArcEager(), GoldTree([0, 1, 1, 2])
    c = system.configuration(4, stack=[1, 2], buffer=[3, 4, 0], arcs=[(1, None, 2)])
    assert system.costs(c, gold) == {"SHIFT": 1, "REDUCE": 1, "RIGHT": 1}
    assert DynamicOracle().correct(system, c, gold) == {"SHIFT", "REDUCE", "RIGHT"}
    gold = GoldTree([0, 1, 1, 2, 2])
    c = system.configuration(5, stack=[1, 2], buffer=[3, 4, 5, 0], arcs=[(1, None, 2)])
    assert system.costs(c, gold) == {"SHIFT": 1, "REDUCE": 2, "RIGHT": 1}
    assert DynamicOracle().correct(system, c, gold) == {"SHIFT", "RIGHT"}


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 0, None, 5, 2], "needs the head of every word, got"),
        ([2, 0, 2, 1, 2], "needs projective trees, got"),
    ],
)
def test_static_oracles_need_a_full_projective_tree(heads, message):
    gold = GoldTree(heads)
    with pytest.raises(ValueError, match=rf"StaticOracle\(.*ArcEager\(.* {message}"):
        StaticOracle().correct(ArcEager(), before_very(), gold)
    for oracle in (NonDeterministicOracle(), DynamicOracle()):
        assert oracle.correct(ArcEager(), before_very(), gold)


def test_partial_trees():
    gold = GoldTree([None, None, None, 5, 2])
    c = before_very()
    assert DynamicOracle().correct(ArcEager(), c, gold) == {"SHIFT", "REDUCE"}
    gold = GoldTree([None] * 5)
    assert DynamicOracle().correct(ArcEager(), c, gold) == {"SHIFT", "REDUCE", "RIGHT"}
