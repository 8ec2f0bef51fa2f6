"""How the parser decodes when it is asked for probabilities: settings and results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.model.model import Model
from ..core.probability.greedy import parse_with_probabilities
from ..core.probability.sampling import sample_arcs
from ..core.results import ArcCounts, Probabilities
from ..core.search.base import Search
from ..core.search.greedy import GreedySearch
from ..core.state.configuration import RootRule
from ..core.state.sentence import Sentence
from ..util.arrays import Int32Array
from ..util.config_errors import check_choice
from .marginals import MAX_WORDS, marginals_by_sentence

PROBABILITIES = ("none", "transition", "marginal")
DECODE = ("greedy", "marginal")


@dataclass(frozen=True)
class ProbabilitySettings:
    """Which probabilities are computed, and how.

    probabilities: "none", "transition" (of the decisions of greedy parsing) or
        "marginal" (also of arcs, from sampled derivations).
    n_samples: derivations sampled of each sentence.
    decode: "greedy", or "marginal" for the tree of minimum risk under the marginals.
    seed: of sampling.
    """

    probabilities: str = "none"
    n_samples: int = 64
    decode: str = "greedy"
    seed: int = 0

    def check(self, search: Search) -> None:
        """Raise ValueError for settings that are unknown or do not go together."""
        check_choice("probabilities", self.probabilities, PROBABILITIES)
        check_choice("decode", self.decode, DECODE)
        if self.n_samples < 1:
            raise ValueError(f"n_samples = {self.n_samples}: expected at least 1")
        if self.decode == "marginal" and self.probabilities != "marginal":
            raise ValueError(
                f"decode = 'marginal' needs probabilities = 'marginal', not "
                f"{self.probabilities!r}"
            )
        if self.wanted and not isinstance(search, GreedySearch):
            raise ValueError(
                f"probabilities = {self.probabilities!r} are those of greedy parsing: "
                f"use spacy_dynoracle.GreedySearch.v1, not {search!r}"
            )

    @property
    def wanted(self) -> bool:
        """Whether there are any probabilities to compute."""
        return self.probabilities != "none"

    def check_model(self, name: str, model: Model) -> None:
        """Raise ValueError if probabilities are wanted of a model that has none.

        name: of the parser.
        """
        if self.wanted and model.temperature is None:
            raise ValueError(
                f"probabilities = {self.probabilities!r}, but scores of the learner "
                f"{model.learner}, which trained {name!r}, are no probabilities: fit a "
                f"temperature to the trained model (spacy-dynoracle calibrate), train "
                f"with AdaGradRDA, or set probabilities = 'none'"
            )


@dataclass
class Parses:
    """The trees of some sentences, over all words, one sentence after the other.

    heads: words 1..n of a sentence, or 0. labels: ids of the model, or -1. decisions:
    of the derivations of these trees. drawn: arcs of sampled derivations. The last two
    are None where they are not wanted; decisions also if the trees have no derivations.
    """

    heads: Int32Array
    labels: Int32Array
    decisions: Probabilities | None = None
    drawn: ArcCounts | None = None

    @classmethod
    def joined(cls, parts: list[Parses]) -> Parses:
        """Several results, one after the other."""
        if len(parts) == 1:
            return parts[0]
        decisions = [part.decisions for part in parts if part.decisions is not None]
        drawn = [part.drawn for part in parts if part.drawn is not None]
        return cls(
            np.concatenate([part.heads for part in parts]),
            np.concatenate([part.labels for part in parts]),
            Probabilities(*map(np.concatenate, zip(*decisions, strict=True)))
            if decisions
            else None,
            joined_counts(drawn) if drawn else None,
        )


def joined_counts(parts: list[ArcCounts]) -> ArcCounts:
    """The arcs of several calls of `sample_arcs`, one after the other."""
    sizes = [part.first[-1] for part in parts]
    before = np.cumsum([0, *sizes[:-1]])
    first = [part.first[1:] + n for part, n in zip(parts, before, strict=True)]
    return ArcCounts(
        np.concatenate([[0], *first]),
        *(np.concatenate(columns) for columns in list(zip(*parts, strict=True))[1:]),
    )


def parse_sentences(
    search: Search,
    settings: ProbabilitySettings,
    model: Model,
    sentences: list[Sentence],
    rule: RootRule,
) -> Parses:
    """Parse sentences with a model. rule: how many roots they may have."""
    if settings.probabilities == "none":
        return Parses(*search.parse(model, sentences, rule))
    drawn = None
    if settings.probabilities == "marginal":
        drawn = sample_arcs(model, sentences, settings.n_samples, settings.seed, rule)
    if drawn is not None and settings.decode == "marginal":
        return minimum_risk(search, model, sentences, drawn, rule)
    return Parses(*parse_with_probabilities(model, sentences, rule), drawn)


def minimum_risk(
    search: Search,
    model: Model,
    sentences: list[Sentence],
    drawn: ArcCounts,
    rule: RootRule,
) -> Parses:
    """The trees of the largest expected LAS under the marginals of arcs."""
    lengths = list(map(len, sentences))
    trees = []
    marginals = marginals_by_sentence(drawn, lengths)
    for sentence, of_sentence in zip(sentences, marginals, strict=True):
        # What is too long to be decoded keeps the arcs of the greedy tree.
        greedy = None
        if len(sentence) > MAX_WORDS:
            greedy = search.parse(model, [sentence], rule)
        trees.append(
            of_sentence.minimum_risk_tree(
                projective=model.system.projective,
                single_root=rule != RootRule.ANY,
                greedy=greedy,
            )
        )
    heads, labels = (np.concatenate(column) for column in zip(*trees, strict=True))
    return Parses(heads.astype(np.int32), labels.astype(np.int32), None, drawn)
