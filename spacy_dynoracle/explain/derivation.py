"""Derivations as data: configurations, legal transitions and those that are taken."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

from ..core.results import ScoredTransition
from ..core.state.configuration import RootRule
from ..core.systems.base import TransitionSystem

Arc = tuple[int, str | None, int]
Follow = Literal["model", "oracle"]


class LabelledHeads(NamedTuple):
    """A tree: for each word 1..n its head (0 is ROOT) and its label; None is
    unknown.
    """

    heads: tuple[int | None, ...]
    labels: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many legal transitions a step keeps; None is all.

    Attributes:
        labels: For each transition, the labels with the best scores.
        pairs: In easy-first, the combinations of a pair and a transition with the best
            scores.
    """

    labels: int | None = None
    pairs: int | None = None


class Contribution(NamedTuple):
    """A feature with its weights for two transitions; 0 if it has none.

    Attributes:
        feature: The atoms of the template with their values, as ``S0w=found N0p=DET``.
        chosen, other: The weight for the chosen and for the other transition.
    """

    feature: str
    chosen: float
    other: float

    @property
    def difference(self) -> float:
        """The part of the difference of the scores that the feature makes."""
        return self.chosen - self.other

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("chosen", "other", "difference")
        rounded = {name: _rounded(getattr(self, name)) for name in names}
        return {"feature": self.feature, **rounded}


class Contributions(NamedTuple):
    """The features that made the scores of two transitions differ.

    Attributes:
        other: The transition that the chosen one is compared with: the best of the
            others, or the one with the best score if that is not the chosen one.
        features: Those that differ most, the largest difference first.
        n_rest, rest: Number of the other features with different weights, and the sum
            of their differences.
    """

    other: ScoredTransition
    features: tuple[Contribution, ...]
    n_rest: int
    rest: float

    def as_dict(self, candidates: tuple[ScoredTransition, ...]) -> dict[str, Any]:
        """Plain values for JSON, with the number of `other` among some candidates."""
        return self._asdict() | {
            "other": candidates.index(self.other),
            "features": [each.as_dict() for each in self.features],
            "rest": _rounded(self.rest),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """A configuration and the transition that is taken in it.

    Attributes:
        stack: Nodes, the top last.
        buffer: Nodes, the front first. In easy-first, stack and buffer are the list,
            cut between the two nodes of the chosen pair.
        arcs: (head, label, dependent), in the order of the dependents.
        candidates: The legal transitions, the best score first.
        n_candidates: Number of legal transitions, with those left out of `candidates`.
        chosen: The transition that is taken.
        predicted: The transition with the best score. It differs from `chosen` when the
            oracle is followed and where a beam looks ahead.
        forced: Whether only one transition is legal, so that the model is not asked.
        contributions: The features that made the difference of the scores of the chosen
            and of the best other transition; None if they were not asked for, or if
            there is no other score.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[Arc, ...]
    candidates: tuple[ScoredTransition, ...]
    n_candidates: int
    chosen: ScoredTransition
    predicted: ScoredTransition
    forced: bool
    contributions: Contributions | None = None

    def __repr__(self) -> str:
        name = " ".join(filter(None, (self.chosen.transition, self.chosen.label)))
        return f"<Step: {name}, stack {self.stack}, {len(self.buffer)} in the buffer>"

    @property
    def least_cost(self) -> int | None:
        """The cost of the correct transitions; None without costs.

        It is 0 if the gold tree can still be reached.
        """
        return least_cost(self.candidates)

    def is_correct(self, candidate: ScoredTransition) -> bool | None:
        """Whether no transition costs less; None without costs. The dynamic oracle
        allows fewer where some of these only make the derivation longer.
        """
        return None if candidate.cost is None else candidate.cost == self.least_cost

    @property
    def correct(self) -> ScoredTransition:
        """The best score among the correct transitions; the predicted transition if
        there are no costs.
        """
        return best_correct(self.candidates, self.predicted)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; see `Derivation.as_dict`."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.contributions is not None:
            values["contributions"] = self.contributions.as_dict(self.candidates)
        return values | {
            "candidates": [
                x._asdict()
                | {"score": _rounded(x.score), "correct": self.is_correct(x)}
                for x in self.candidates
            ],
            "chosen": self.candidates.index(self.chosen),
            "predicted": self.candidates.index(self.predicted),
        }

    def limited(self, limits: Limits) -> Step:
        """The same step with fewer candidates.

        The chosen, the predicted and the best correct transition always stay, and the
        one that the features are compared with.
        """
        always = {self.chosen, self.predicted, self.correct}
        if self.contributions is not None:
            always.add(self.contributions.other)
        return replace(self, candidates=_limited(self.candidates, limits, always))


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """The derivation of a sentence, or of a longer part of a document.

    Attributes:
        words: The forms of the words, after ROOT; those of multiword tokens are de and
            le where the tokens of the document, and so the features, are ``d`` and
            ``u``.
        tags: The tags that the features see; that of ROOT is empty.
        tokens: The indices of the words (without ROOT) in the document.
        system: The transition system.
        root_rule: How many words may depend on ROOT.
        steps: The configurations and transitions, in order.
        stack, buffer, arcs: The terminal configuration.
        attached: Words without a head in the terminal configuration, which became
            dependents of ROOT.
        derived: The tree of the derivation.
        restored: The tree that the parser writes: lifted arcs are put back, and the
            dependents of words whose label never governs are moved up.
        treebank: The gold tree; None without one.
        outside: The words whose gold head is in another sentence, so that they have no
            head in `treebank`.
        gold: The tree that costs refer to; it is projective if the system derives only
            projective trees. None if costs are not defined.
        parsed_again: Whether some of the words were parsed again in a later derivation,
            because a sentence started where the document forbids it.
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
    derived: LabelledHeads
    restored: LabelledHeads
    treebank: LabelledHeads | None = None
    outside: tuple[int, ...] = ()
    gold: LabelledHeads | None = None
    parsed_again: bool = False

    def __repr__(self) -> str:
        text = " ".join(self.words[1:])
        return f"<Derivation of {text[:40]!r}: {len(self.steps)} transitions>"

    @property
    def total_cost(self) -> int:
        """The sum of the costs of the transitions that were taken."""
        return sum(step.chosen.cost or 0 for step in self.steps)

    @property
    def unshifts(self) -> bool:
        """Whether UNSHIFT, which has no costs, keeps to the number of roots."""
        return self.system.unshifts and self.root_rule != RootRule.ANY

    @property
    def errors(self) -> tuple[int, ...]:
        """The words whose head or label differs from the treebank.

        Words that have no head there do not count, but those with a head in another
        sentence do.
        """
        if self.treebank is None:
            return ()
        rows = zip(*self.restored, *self.treebank, strict=True)
        return tuple(
            word
            for word, (head, label, gold_head, gold_label) in enumerate(rows, 1)
            if word in self.outside
            or (
                gold_head is not None
                and (head != gold_head or gold_label not in (None, label))
            )
        )

    def limited(self, limits: Limits) -> Derivation:
        """The same derivation with fewer candidates in its steps."""
        return replace(self, steps=tuple(step.limited(limits) for step in self.steps))

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Nodes are numbers; 0 is ROOT.

        "chosen", "predicted" and "other" of a step are indices of its candidates.
        """
        system = self.system
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        del values["root_rule"]
        for name in ("derived", "restored", "treebank", "gold"):
            values[name] = values[name] and values[name]._asdict()
        return values | {
            "system": {
                "name": type(system).__name__,
                "root": system.root,
                "single_root": self.root_rule != RootRule.ANY,
                "chooses_pair": system.chooses_pair,
                "unshifts": self.unshifts,
            },
            "steps": [step.as_dict() for step in self.steps],
            "errors": self.errors if self.treebank else None,
            "total_cost": self.total_cost if self.gold else None,
        }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def least_cost(found: Iterable[ScoredTransition]) -> int | None:
    """The lowest cost of some transitions; None if no cost is defined."""
    return min((x.cost for x in found if x.cost is not None), default=None)


def best(found: Collection[ScoredTransition]) -> ScoredTransition:
    """The best score, the first of equal ones; without scores the first."""
    scored = [x for x in found if x.score is not None]
    return max(scored, key=lambda x: x.score or 0.0) if scored else next(iter(found))


def best_correct(
    found: Collection[ScoredTransition], predicted: ScoredTransition
) -> ScoredTransition:
    """The best score among the correct transitions; `predicted` if there are no
    costs.
    """
    least = least_cost(found)
    if least is None:
        return predicted
    return best([x for x in found if x.cost == least])


def best_other(
    found: Collection[ScoredTransition], chosen: ScoredTransition
) -> ScoredTransition | None:
    """The best score among the transitions that are not chosen; None without one."""
    others = [x for x in found if x != chosen and x.score is not None]
    return best(others) if others else None


def _limited(
    found: Collection[ScoredTransition], limits: Limits, always: set[ScoredTransition]
) -> tuple[ScoredTransition, ...]:
    """The transitions to keep, the best first."""
    most_labels = len(found) if limits.labels is None else limits.labels
    most_pairs = len(found) if limits.pairs is None else limits.pairs
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
    return tuple(result)
