"""Strategies that find the trees of segments, one for each kind of search.

A strategy takes a model, the rule for roots and segments, and returns the parses of the
segments.
"""

from collections.abc import Callable
from dataclasses import dataclass

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


def parse_freely(
    search: Search,
    wanted: WantedProbabilities | None,
    seed: int,
    model: Model,
    rule: RootRule,
    segments: list[Segment],
) -> Parses:
    """The trees that a search finds.

    Args:
        wanted: The probabilities that come with the trees, if any.
        seed: Seeds sampling.
    """
    sentences = sentences_of(segments)
    if wanted is None:
        return Parses(*search.parse(model, sentences, rule))
    parses = Parses(
        *parse_with_probabilities(model, sentences, rule, search, wanted.temperature)
    )
    if wanted.n_samples:
        if wanted.temperature is not None:
            model = model.with_temperature(wanted.temperature)
        parses.drawn = sample_arcs(model, sentences, wanted.n_samples, seed, rule)
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


def root_rule(single_root: bool) -> RootRule:
    """The rule for segments that must have one root, or may have any number."""
    return RootRule.ONE if single_root else RootRule.ANY
