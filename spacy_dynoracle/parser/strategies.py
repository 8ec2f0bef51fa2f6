"""Strategies that find the trees of segments, one for each kind of search.

A strategy takes a model, the rule for roots and segments, and returns the parses of the
segments. A parser chooses its strategy once, by its settings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..core.model.model import Model
from ..core.probability.greedy import parse_with_probabilities
from ..core.probability.sampling import sample_arcs
from ..core.results import ArcCounts, Probabilities
from ..core.search.base import Search
from ..core.search.constrained import parse_with_arcs
from ..core.state.configuration import RootRule
from ..core.state.sentence import Sentence
from ..doc.segments import Segment
from ..registry.probabilities import WantedProbabilities
from ..util.arrays import Int32Array
from .label_names import LabelNames


@dataclass(slots=True)
class Parses:
    """The trees of some segments, over all words, one segment after the other.

    Attributes:
        heads: Words 1..n of a segment, or 0.
        labels: Ids of the model, or -1.
        decisions: Probabilities of the derivations of these trees.
        drawn: Arcs of sampled derivations. The last two are None where they are not
            wanted.
    """

    heads: Int32Array
    labels: Int32Array
    decisions: Probabilities | None = None
    drawn: ArcCounts | None = None


Strategy = Callable[[Model, RootRule, list[Segment]], Parses]


def strategy_for(
    search: Search, wanted: WantedProbabilities | None, seed: int
) -> Strategy:
    """The strategy for segments without preset arcs.

    Args:
        wanted: The probabilities that come with the trees, if any.
        seed: Seeds sampling.
    """
    if wanted is None:
        return partial(parse_alone, search)
    if not wanted.n_samples:
        return parse_with_decisions
    return partial(parse_with_marginals, wanted.n_samples, seed)


def parse_alone(
    search: Search, model: Model, rule: RootRule, segments: list[Segment]
) -> Parses:
    """The trees that a search finds, without probabilities."""
    return Parses(*search.parse(model, sentences_of(segments), rule))


def parse_with_decisions(
    model: Model, rule: RootRule, segments: list[Segment]
) -> Parses:
    """The trees of the greedy search with the probabilities of its decisions."""
    return Parses(*parse_with_probabilities(model, sentences_of(segments), rule))


def parse_with_marginals(
    n_samples: int, seed: int, model: Model, rule: RootRule, segments: list[Segment]
) -> Parses:
    """The trees of `parse_with_decisions`, with the arcs of sampled derivations."""
    drawn = sample_arcs(model, sentences_of(segments), n_samples, seed, rule)
    parses = parse_with_decisions(model, rule, segments)
    parses.drawn = drawn
    return parses


def parse_keeping_arcs(
    names: LabelNames, model: Model, rule: RootRule, segments: list[Segment]
) -> Parses:
    """The trees of the greedy search that have the preset arcs of the segments, as far
    as search may keep them.
    """
    trees = [
        segment.arcs.tree(model.labels, names.undecorated)
        for segment in segments
        if segment.arcs is not None
    ]
    return Parses(*parse_with_arcs(model, sentences_of(segments), trees, rule))


def sentences_of(segments: list[Segment]) -> list[Sentence]:
    """The segments as the core reads them."""
    return [segment.sentence for segment in segments]


def root_rule(one_root: bool) -> RootRule:
    """The rule for segments that must have one root, or may have any number."""
    return RootRule.ONE if one_root else RootRule.ANY
