"""Deriving in Python: the legal transitions of a configuration, their scores and costs.

The core's searches keep only the best transition; `offered_actions` of the core lists
all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from ..core.model.model import Model
from ..core.search.inspect import offered_actions
from ..core.state.configuration import Configuration
from ..core.state.gold import GoldTree
from ..core.state.sentence import Sentence
from ..core.systems.easy_first import EasyFirst
from .derivation import (
    Limits,
    ScoredTransition,
    Step,
    best,
    best_correct,
    best_other,
)
from .features import FeatureReader

Follow = Literal["model", "oracle"]


def steps(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: GoldTree | None,
    follow: Follow,
    limits: Limits,
    features: FeatureReader | None = None,
) -> Iterator[Step]:
    """Yield the steps of a derivation from `c` until it is terminal.

    Args:
        c: A configuration whose labels have the numbers of the model; it changes.
        gold: The tree that costs refer to.
        follow: Whether the best transition is taken, or the best correct one.
        features: Compares the scores of two transitions; None to leave that out.
    """
    system = model.system
    while not system.is_terminal(c):
        found = candidates(model, c, sentence, gold)
        predicted = best(found)
        chosen = best_correct(found, predicted) if follow == "oracle" else predicted
        if chosen.position is not None:
            cast(EasyFirst, system).focus(c, chosen.position)
        other = best_other(found, chosen) if chosen == predicted else predicted
        compared = None
        if features is not None and other is not None:
            compared = features.compare(c, chosen, other)
        step = Step(
            stack=c.stack,
            buffer=c.buffer,
            arcs=c.arcs,
            candidates=tuple(found),
            n_candidates=len(found),
            chosen=chosen,
            predicted=predicted,
            forced=all(x.score is None for x in found),
            contributions=compared,
        )
        yield step.limited(limits)
        system.apply(c, chosen.transition, chosen.label)


def candidates(
    model: Model, c: Configuration, sentence: Sentence, gold: GoldTree | None
) -> list[ScoredTransition]:
    """The legal transitions of a configuration with their labels, scores and costs.

    They are ordered by pair, then as the actions of the model. A transition for which
    the model has no action has neither label nor score.
    """
    offered = offered_actions(model, c, sentence, gold)
    return [
        ScoredTransition(x.transition, x.label, x.position, x.arc, x.score, x.cost)
        for x in offered
        if x.legal
    ]
