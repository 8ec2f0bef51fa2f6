"""Static, non-deterministic and dynamic oracles on single configurations."""

import pickle

import pytest

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)

from ..builders import SYSTEMS

ALL = [StaticOracle(), StaticOracle("shift"), NonDeterministicOracle(), DynamicOracle()]
every_oracle = pytest.mark.parametrize("oracle", ALL, ids=repr)


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


@pytest.mark.parametrize("system", SYSTEMS, ids=repr)
def test_first_variant_is_the_canonical_one(system):
    """What is said without a variant; systems without a static oracle say so."""
    c, gold = system.initial(2), GoldTree([2, 0])
    variants = {
        "ArcEager": ["reduce", "shift"],
        "ArcHybrid": ["right", "shift"],
        "ArcStandard": ["left-first", "left-last"],
        "Covington": ["shift"],
        "NonMonotonicArcEager": ["reduce", "shift"],
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


@every_oracle
def test_nothing_is_correct_at_the_end(oracle):
    system = ArcEager()
    c = system.configuration(1, buffer=[0], arcs=[(0, None, 1)])
    assert oracle.correct(system, c, GoldTree([0])) == set()


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
