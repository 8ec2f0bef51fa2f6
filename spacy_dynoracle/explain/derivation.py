"""Derivations as data: the configurations, what is legal in them and what is chosen.

`spacy_dynoracle.explain.trace` makes them of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from ..core.model.model import Model
from ..core.state.configuration import Configuration, RootRule
from ..core.state.gold import GoldTree
from ..core.state.sentence import Sentence
from ..core.systems.base import TransitionSystem
from ..core.systems.easy_first import EasyFirst

Follow = Literal["model", "oracle"]
Arc = tuple[int, str | None, int]


class Heads(NamedTuple):
    """The arcs of a tree: for each word 1..n its head (0 is ROOT) and its label; None
    where it is unknown."""

    heads: tuple[int | None, ...]
    labels: tuple[str | None, ...]


class Gold:
    """A gold tree that costs refer to.

    tree: its arcs. core: the same for the core, which makes them anew when asked.
    """

    def __init__(self, tree: Heads) -> None:
        self.tree = tree
        self.core = GoldTree(*tree)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something the parser may do in a configuration.

    position: the pair (l_i, l_i+1) of the list that a transition of easy-first speaks
        of, i from 1; None in other systems.
    arc: (head, dependent) that it adds. score: None where the model is not asked or
        has no such action. cost: gold arcs that it loses, its label included; None
        where there is no gold tree or no cost is defined.
    """

    transition: str
    label: str | None
    position: int | None
    arc: tuple[int, int] | None
    score: float | None
    cost: int | None


@dataclass(frozen=True, slots=True)
class Step:
    """A configuration and the transition taken there.

    stack: the top last. buffer: the front first. In easy-first they are the list,
        cut between the two nodes of the pair chosen.
    arcs: (head, label, dependent), in the order of the dependents.
    candidates: the best first; `n_candidates` counts those left out too.
    chosen: carried out; predicted: what the model prefers. They differ only when the
        oracle is followed.
    forced: whether it is carried out without the model, which has no choice.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[Arc, ...]
    candidates: tuple[Candidate, ...]
    n_candidates: int
    chosen: Candidate
    predicted: Candidate
    forced: bool

    @property
    def least_cost(self) -> int | None:
        """The cost of the correct candidates, None without costs. It is 0 wherever the
        gold tree is projective."""
        return least_cost(self.candidates)

    def is_correct(self, candidate: Candidate) -> bool | None:
        """Whether the dynamic oracle allows a candidate; None without costs."""
        return None if candidate.cost is None else candidate.cost == self.least_cost


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a sentence, or a longer part of a document, was parsed.

    words: the forms, ROOT first. tags: as the features see them, ROOT's empty.
    tokens: the indices of the words (without ROOT) in the document.
    system: the variant it was parsed with.
    stack, buffer, arcs: the terminal configuration. attached: the words that were still
        headless there and became dependents of ROOT.
    derived: the tree. restored: the same with lifted arcs put back.
    treebank: the gold tree. gold: the tree that costs refer to, which is projective if
        the system's trees are.
    parsed_again: whether some of the words were parsed again in a later derivation,
        because sentences met where the document says that none starts.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    tokens: tuple[int, ...]
    system: TransitionSystem
    root_rule: RootRule
    steps: tuple[Step, ...]
    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[Arc, ...]
    attached: tuple[int, ...]
    derived: Heads
    restored: Heads
    treebank: Heads | None = None
    gold: Heads | None = None
    parsed_again: bool = False

    @property
    def total_cost(self) -> int:
        """The sum of the costs of the transitions taken."""
        return sum(step.chosen.cost or 0 for step in self.steps)

    @property
    def errors(self) -> tuple[int, ...]:
        """The words whose head or label is not that of the treebank, where it has
        one."""
        if self.treebank is None:
            return ()
        rows = zip(*self.restored, *self.treebank, strict=True)
        return tuple(
            word
            for word, (head, label, gold_head, gold_label) in enumerate(rows, 1)
            if gold_head is not None
            and (head != gold_head or gold_label not in (None, label))
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """How many candidates a step keeps; None is all.

    labels: for each transition, the best ones. pairs: in easy-first, the pairs and
    transitions with the best scores.

    The one chosen, the model's favourite and the best correct one are always kept.
    """

    labels: int | None = None
    pairs: int | None = None


def candidates(
    model: Model, c: Configuration, sentence: Sentence, gold: Gold | None
) -> list[Candidate]:
    """Everything that is legal in a configuration: pair by pair, then in the order of
    the model's actions. In easy-first the pair in focus changes.

    A transition that the model has no action for is there without a label and a score.
    """
    if not model.system.chooses_pair:
        return _in_focus(model, c, sentence, gold, None)
    found = []
    system = cast(EasyFirst, model.system)
    for position in range(1, len(c.stack) + len(c.buffer)):
        system.focus(c, position)
        found += _in_focus(model, c, sentence, gold, position)
    return found


def least_cost(found: Iterable[Candidate]) -> int | None:
    """The lowest cost of some candidates, None if none has one."""
    return min((x.cost for x in found if x.cost is not None), default=None)


def unshifts(system: TransitionSystem, root_rule: RootRule) -> bool:
    """Whether it is arc-eager with the tree constraint on, and hence has UNSHIFT."""
    return root_rule != RootRule.ANY and "UNSHIFT" in system.transition_names


def _in_focus(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: Gold | None,
    position: int | None,
) -> list[Candidate]:
    """The candidates of a configuration, or of its pair in focus."""
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
        found.append(Candidate(name, label, position, arcs[name], score, cost))
    return found


def _is_forced(system: TransitionSystem, legal: list[str]) -> bool:
    return len(legal) == 1 and not system.is_labelled(legal[0])


def _costs(
    system: TransitionSystem,
    c: Configuration,
    gold: Gold | None,
    legal: list[str],
) -> dict[str, int]:
    """The costs of the legal transitions, as far as they are defined.

    They describe arc-eager without UNSHIFT (Nivre & Fernandez-Gonzalez 2014, section
    4): none, once that has begun to make a difference.
    """
    if gold is None or "UNSHIFT" in legal:
        return {}
    if unshifts(system, c.root_rule) and c.end_seen and len(legal) > 1:
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
    """Whether a label suits the arc: under the root label constraint, that of the root
    belongs to ROOT's arcs and no other does."""
    if arc is None or not model.system.root_label_constraint:
        return True
    return (arc[0] == 0) == (label == model.root_label)


def _right_label(
    model: Model, name: str, arc: tuple[int, int] | None, gold: Gold | None
) -> str | None:
    """The label that the arc of a transition must have, for else it costs one more.

    None if any will do: the arc is not gold, or the model has no such label for it.
    """
    if gold is None or arc is None:
        return None
    head, dependent = arc
    label = gold.tree.labels[dependent - 1]
    if gold.tree.heads[dependent - 1] != head or (name, label) not in model.actions:
        return None
    return label if _may_label(model, arc, label) else None


def _best(found: list[Candidate]) -> Candidate:
    """The best score, the first of equals; without scores the first."""
    scored = [x for x in found if x.score is not None]
    return max(scored, key=lambda x: x.score or 0.0) if scored else found[0]


def _most_correct(found: list[Candidate], predicted: Candidate) -> Candidate:
    """The best score among the cheapest; the prediction, where there are no costs."""
    least = least_cost(found)
    if least is None:
        return predicted
    return _best([x for x in found if x.cost == least])


def _kept(
    found: list[Candidate], kept: Kept, always: set[Candidate]
) -> list[Candidate]:
    """The candidates to keep, the best first."""
    most_labels = len(found) if kept.labels is None else kept.labels
    most_pairs = len(found) if kept.pairs is None else kept.pairs
    n_labels: dict[tuple[str, int | None], int] = {}
    result = []
    for x in sorted(found, key=lambda x: (x.score is None, -(x.score or 0.0))):
        group = (x.transition, x.position)
        if x.position is not None and group not in n_labels:
            full = len(n_labels) >= most_pairs
        else:
            full = n_labels.get(group, 0) >= most_labels
        if not full:
            n_labels[group] = n_labels.get(group, 0) + 1
        if not full or x in always:
            result.append(x)
    return result


def steps(
    model: Model,
    c: Configuration,
    sentence: Sentence,
    gold: Gold | None,
    follow: Follow,
    kept: Kept,
) -> Iterator[Step]:
    """Derive until `c` is terminal.

    c: a configuration whose labels have the model's numbers. gold: what costs refer
    to.
    """
    system = model.system
    while not system.is_terminal(c):
        found = candidates(model, c, sentence, gold)
        predicted = _best(found)
        correct = _most_correct(found, predicted)
        chosen = correct if follow == "oracle" else predicted
        if chosen.position is not None:
            cast(EasyFirst, system).focus(c, chosen.position)
        yield Step(
            stack=c.stack,
            buffer=c.buffer,
            arcs=c.arcs,
            candidates=tuple(_kept(found, kept, {chosen, predicted, correct})),
            n_candidates=len(found),
            chosen=chosen,
            predicted=predicted,
            forced=all(x.score is None for x in found),
        )
        system.apply(c, chosen.transition, chosen.label)


def as_dict(derivation: Derivation) -> dict[str, Any]:
    """A derivation as JSON-able data; nodes are numbers, 0 is ROOT.

    chosen and predicted are indices of the candidates.
    """
    system = derivation.system
    return {
        "words": derivation.words,
        "tags": derivation.tags,
        "tokens": derivation.tokens,
        "system": {
            "name": type(system).__name__,
            "root": system.root,
            "single_root": derivation.root_rule != RootRule.ANY,
            "chooses_pair": system.chooses_pair,
            "unshifts": unshifts(system, derivation.root_rule),
        },
        "steps": [_step_as_dict(step) for step in derivation.steps],
        "stack": derivation.stack,
        "buffer": derivation.buffer,
        "arcs": derivation.arcs,
        "attached": derivation.attached,
        "derived": derivation.derived._asdict(),
        "restored": derivation.restored._asdict(),
        "treebank": derivation.treebank and derivation.treebank._asdict(),
        "gold": derivation.gold and derivation.gold._asdict(),
        "errors": derivation.errors if derivation.treebank else None,
        "total_cost": derivation.total_cost if derivation.gold else None,
        "parsed_again": derivation.parsed_again,
    }


def _step_as_dict(step: Step) -> dict[str, Any]:
    return {
        "stack": step.stack,
        "buffer": step.buffer,
        "arcs": step.arcs,
        "candidates": [
            {
                "transition": x.transition,
                "label": x.label,
                "position": x.position,
                "arc": x.arc,
                "score": None if x.score is None else round(x.score, 4),
                "cost": x.cost,
                "correct": step.is_correct(x),
            }
            for x in step.candidates
        ],
        "n_candidates": step.n_candidates,
        "chosen": step.candidates.index(step.chosen),
        "predicted": step.candidates.index(step.predicted),
        "forced": step.forced,
    }
