"""What configurations offer, against the public view of systems and models."""

import random

import pytest

from spacy_dynoracle import ArcEager, EasyFirst, GoldTree
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.search.inspect import offered_actions

from ..builders import action_scores, sentence
from ..naive_derivations import (
    arc_of,
    finish,
    focus,
    forced,
    initial,
    is_legal_label,
    options,
    pairs_of,
)
from ..random_models import (
    LABELS,
    ROOT_LABEL,
    every_system,
    model_without_weights,
    random_heads,
    random_model,
    random_sentence,
)

LENGTHS = range(1, 7)


def take(model, c, choice):
    focus(model.system, c, choice.position or 0)
    model.system.apply(c, choice.transition, choice.label)


def scored_of(found):
    return [x for x in found if x.score is not None]


def random_gold(rng, system, n):
    """A tree that may lack heads, and have labels that the model does not know."""
    heads = random_heads(rng, n)
    if not system.needs_full_tree:
        heads = [head if rng.random() < 0.8 else None for head in heads]
    return GoldTree(heads, rng.choices([*LABELS, ROOT_LABEL, "new", None], k=n))


def expected_cost(model, c, gold, transition, label, arc):
    """By the cost of the system, which knows no label but that of the gold tree."""
    cost = model.system.costs(c, gold)[transition]
    if arc is None or gold.heads[arc[1] - 1] != arc[0]:
        return cost
    right = gold.labels[arc[1] - 1]
    known = (transition, right) in model.actions
    if right is None or not known or not is_legal_label(model, arc, right):
        return cost
    return cost + (label != right)


@every_system
def test_as_the_public_view(system):
    """Transitions, arcs, scores and costs along random derivations."""
    rng = random.Random(repr(system))
    model = random_model(system)
    # Costs describe arc-eager without UNSHIFT.
    has_costs = not isinstance(system, ArcEager) or not system.single_root
    for n in LENGTHS:
        words, gold = random_sentence(rng, n), random_gold(rng, system, n)
        c = initial(model, n)
        while not system.is_terminal(c):
            found = offered_actions(model, c, words, gold)
            assert [x[:5] for x in found] == [
                x[:5] for x in offered_actions(model, c, words)
            ]
            assert [
                (x.position or 0, x.transition, x.label, x.score, x.arc)
                for x in scored_of(found)
            ] == [tuple(option) for option in options(model, words, c)]
            for pair in pairs_of(system, c):
                focus(system, c, pair)
                own = [x for x in found if (x.position or 0) == pair]
                assert {x.transition for x in own} == set(system.legal(c))
                if forced(system, c) is None:
                    scores = {(x.transition, x.label): x.score for x in scored_of(own)}
                    every = action_scores(model, c, words)
                    assert scores == {key: every[key] for key in scores}
                for x in own:
                    assert x.arc == arc_of(system, c, x.transition)
                    if has_costs:
                        assert x.cost == expected_cost(model, c, gold, *x[:2], x.arc)
            take(model, c, rng.choice(found))
        assert offered_actions(model, c, words, gold) == []


@every_system
def test_greedy_search_takes_the_first_best(system):
    rng, model = random.Random(0), random_model(system)
    for n in LENGTHS:
        words, c = random_sentence(rng, n), initial(model, n)
        while found := offered_actions(model, c, words):
            take(
                model, c, max(scored_of(found) or found[:1], key=lambda x: x.score or 0)
            )
        finish(model, c)
        assert list(c.heads) == GreedySearch().parse(model, [words])[0].tolist()


def test_the_configuration_stays_as_it_is():
    model = random_model(EasyFirst())
    c = initial(model, 4)
    model.system.focus(c, 3)
    before = c.copy()
    offered_actions(model, c, random_sentence(random.Random(0), 4))
    assert (c.stack, c.buffer, c.arcs) == (before.stack, before.buffer, before.arcs)


def test_without_an_action():
    """Transitions for which the model has no action have no label and no score."""
    model = model_without_weights(ArcEager(), [])
    c = initial(model, 2)
    model.system.apply(c, "SHIFT")
    found = offered_actions(model, c, sentence("xy", "NV"))
    without = [x for x in found if x.score is None]
    assert {x.transition for x in without} == {"LEFT", "RIGHT"}
    assert all(x.label is None for x in without)
    assert {x.arc for x in without} == {(2, 1), (1, 2)}


def test_no_costs_where_unshift_makes_a_difference():
    """They are those of the system without it."""
    model = random_model(ArcEager("none", True))
    c = initial(model, 2)
    gold = GoldTree([2, 0])
    words = sentence("xy", "NV")
    assert all(x.cost is not None for x in offered_actions(model, c, words, gold))
    for name in ("SHIFT", "SHIFT"):
        model.system.apply(c, name)
    found = offered_actions(model, c, words, gold)
    assert "UNSHIFT" in {x.transition for x in found}
    assert all(x.cost is None for x in found)


def test_what_does_not_fit_together():
    model = random_model(ArcEager())
    c = initial(model, 2)
    with pytest.raises(ValueError, match="the gold tree has 3 words"):
        offered_actions(model, c, sentence("xy", "NV"), GoldTree([2, 3, 0]))
    with pytest.raises(ValueError, match="words"):
        offered_actions(model, c, sentence("x", "N"))
