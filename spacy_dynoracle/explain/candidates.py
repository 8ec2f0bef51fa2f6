"""Deriving in Python: the legal transitions of a configuration, their scores and costs.

The results are those of the core. They are computed here a second time, because the
core keeps only the best transition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from ..core.model.model import Model
from ..core.state.configuration import Configuration
from ..core.state.gold import GoldTree
from ..core.state.sentence import Sentence
from ..core.systems.base import TransitionSystem
from ..core.systems.easy_first import EasyFirst
from .derivation import (
    LabelledHeads,
    Limits,
    ScoredTransition,
    Step,
    best,
    best_correct,
    unshifts,
)

Follow = Literal["model", "oracle"]


class CostTree:
    """A gold tree that costs refer to.

    tree: its heads and labels. core: the same tree as the core needs it.
    """

    def __init__(self, tree: LabelledHeads) -> None:
        self.tree = tree
        self.core = GoldTree(*tree)


def steps(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: CostTree | None,
    follow: Follow,
    limits: Limits,
) -> Iterator[Step]:
    """Yield the steps of a derivation from `c` until it is terminal.

    c: a configuration whose labels have the numbers of the model; it changes.
    gold: the tree that costs refer to.
    follow: whether the best transition is taken, or the best correct one.
    """
    system = model.system
    while not system.is_terminal(c):
        found = candidates(model, c, sentence, gold)
        predicted = best(found)
        chosen = best_correct(found, predicted) if follow == "oracle" else predicted
        if chosen.position is not None:
            cast(EasyFirst, system).focus(c, chosen.position)
        step = Step(
            stack=c.stack,
            buffer=c.buffer,
            arcs=c.arcs,
            candidates=tuple(found),
            n_candidates=len(found),
            chosen=chosen,
            predicted=predicted,
            forced=all(x.score is None for x in found),
        )
        yield step.limited(limits)
        system.apply(c, chosen.transition, chosen.label)


def candidates(
    model: Model, c: Configuration, sentence: Sentence, gold: CostTree | None
) -> list[ScoredTransition]:
    """The legal transitions of a configuration with their labels, scores and costs.

    They are ordered by pair, then as the actions of the model. A transition for which
    the model has no action has neither label nor score. In easy-first the pair in focus
    changes.
    """
    if not model.system.chooses_pair:
        return _in_focus(model, c, sentence, gold, None)
    found = []
    system = cast(EasyFirst, model.system)
    for position in range(1, len(c.stack) + len(c.buffer)):
        system.focus(c, position)
        found += _in_focus(model, c, sentence, gold, position)
    return found


def _in_focus(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: CostTree | None,
    position: int | None,
) -> list[ScoredTransition]:
    """The legal transitions of a configuration, or of its pair in focus."""
    system = model.system
    legal = system.legal(c)
    costs = _costs(system, c, gold, legal)
    arcs = {name: _arc_of(system, c, name) for name in legal}
    right = {name: _right_label(model, name, arcs[name], gold) for name in legal}
    actions: list[tuple[str, str | None, float | None]] = []
    if not _is_forced(system, legal):
        actions += [
            (name, label, score)
            for (name, label), score in model.scores(c, sentence).items()
            if name in arcs and _may_label(model, arcs[name], label)
        ]
    scored = {name for name, _, _ in actions}
    actions += [(name, None, None) for name in legal if name not in scored]
    found = []
    for name, label, score in actions:
        cost = costs.get(name)
        if cost is not None and right[name] not in (None, label):
            cost += 1
        found.append(ScoredTransition(name, label, position, arcs[name], score, cost))
    return found


def _is_forced(system: TransitionSystem, legal: list[str]) -> bool:
    return len(legal) == 1 and not system.is_labelled(legal[0])


def _costs(
    system: TransitionSystem,
    c: Configuration,
    gold: CostTree | None,
    legal: list[str],
) -> dict[str, int]:
    """The costs of the legal transitions, as far as they are defined.

    The costs of arc-eager are those of the system without UNSHIFT (Nivre &
    Fernandez-Gonzalez 2014, section 4). There are none once UNSHIFT makes a difference.
    """
    if gold is None or "UNSHIFT" in legal:
        return {}
    if unshifts(system) and c.end_seen and len(legal) > 1:
        return {}
    return system.costs(c, gold.core)


def _arc_of(
    system: TransitionSystem, c: Configuration, name: str
) -> tuple[int, int] | None:
    """The arc (head, dependent) that a legal transition adds."""
    if not system.is_labelled(name):
        return None
    after = c.copy()
    system.apply(after, name)
    changes = enumerate(zip(c.heads, after.heads, strict=True), 1)
    return next((new, d) for d, (old, new) in changes if new != old and new is not None)


def _may_label(model: Model, arc: tuple[int, int] | None, label: str | None) -> bool:
    """Whether an arc may have a label.

    With the root label constraint, the arcs of ROOT have the label of the root, and
    other arcs do not have it.
    """
    if arc is None or not model.system.root_label_constraint:
        return True
    return (arc[0] == 0) == (label == model.root_label)


def _right_label(
    model: Model, name: str, arc: tuple[int, int] | None, gold: CostTree | None
) -> str | None:
    """The label with which the arc of a transition costs nothing more.

    None if no label costs more: the arc is not gold, or the model has no action with
    its gold label.
    """
    if gold is None or arc is None:
        return None
    head, dependent = arc
    label = gold.tree.labels[dependent - 1]
    if gold.tree.heads[dependent - 1] != head or (name, label) not in model.actions:
        return None
    return label if _may_label(model, arc, label) else None
