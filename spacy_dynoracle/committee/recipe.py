"""The settings of the component `dynoracle_committee`."""

# Fields made by `block` have default factories.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from spacy.util import registry

from ..components.settings import MAX_THREADS, block, check_count
from ..core.search.base import Search
from ..core.search.hc import HCSearch
from ..core.systems.base import TransitionSystem
from ..core.training.exploration import Exploration
from ..registry.learners import LearnerFactory
from ..util.arrays import FloatArray
from ..util.config_errors import check_choice

# Settings of a parser that each member may have for itself.
OF_A_MEMBER = (
    "tag_attr", "direction", "nonprojective", "seed", "system", "oracle", "exploration",
    "learner", "features", "search",
)  # fmt: skip
# Settings that the committee has for members without their own.
SHARED = (
    "tag_attr", "sentences", "nonprojective", "jackknife_folds", "n_threads", "seed",
    "exploration", "learner", "search",
)  # fmt: skip
SENTENCES = ("preset", "doc")
PREFERENCE = 1e-6
# Sums of votes stay exact enough.
LARGEST_WEIGHT = 1e6

Members = dict[str, dict[str, Any]]


def member(system: str, direction: str) -> dict[str, Any]:
    """The config of a member."""
    return {
        "direction": direction,
        "system": {"@misc": f"spacy_dynoracle.{system}.v1"},
    }


DEFAULT_MEMBERS: Members = {
    "eager": member("ArcEager", "forward"),
    "standard": member("ArcStandard", "forward"),
    "standard_backward": member("ArcStandard", "backward"),
    "hybrid": member("ArcHybrid", "forward"),
    "hybrid_backward": member("ArcHybrid", "backward"),
}


def default_members() -> Members:
    """The members of a committee whose config names none."""
    return {
        name: dict(registry.resolve(settings))
        for name, settings in DEFAULT_MEMBERS.items()
    }


@dataclass(frozen=True)
class CommitteeRecipe:
    """The settings of a committee: the keys of its config, with their defaults.

    members: the parsers, by their names. The settings of a member are some of those of
        `dynoracle_parser`: tag_attr, direction, nonprojective, seed, system, oracle,
        exploration, learner, features, search. All trees have one root, and the search
        needs no reranker. None: five parsers, arc-eager forward, arc-standard and
        arc-hybrid in both directions.
    weights: the weight of the votes of a member, by its name; 1 for members that are
        not named. Where votes are equal, members that are named earlier win.
    tag_attr, nonprojective, seed, exploration, learner, search: those of members that
        have none of their own.
    sentences: "preset" (one tree for each preset sentence) or "doc" (the Doc is one
        sentence).
    jackknife_folds: training documents without tags get them from taggers that were
        trained on the other folds, once for all members that read the same attributes;
        0: from the tagger of the pipeline.
    vote_shares: whether a parse comes with the shares of members that have an arc, as
        the probabilities of `spacy_dynoracle.parser.extensions` (`dep_probability`,
        `head_probability`, distributions and entropies). After `spacy-dynoracle
        calibrate` they are calibrated probabilities, for which members draw derivations
        too, so that parsing takes several times as long.
    n_threads: threads that parse one batch.
    scorer: scores parsed examples; None for no scores.

    Raises ValueError for settings that are unknown or do not go together.
    """

    # None as the default, because spaCy would add default members to those of a config.
    members: Members | None = None
    weights: dict[str, float] = field(default_factory=dict, metadata={"config": {}})
    tag_attr: str | None = "TAG"
    sentences: str = "preset"
    nonprojective: str = "projectivize"
    jackknife_folds: int = 5
    vote_shares: bool = False
    n_threads: int = 1
    seed: int = 0
    exploration: Exploration = block("spacy_dynoracle.ErrorExploration.v1", k=1, p=0.9)
    learner: LearnerFactory = block("spacy_dynoracle.AveragedPerceptron.v1", margin=200)
    search: Search = block("spacy_dynoracle.GreedySearch.v1")
    scorer: Callable[..., dict[str, Any]] | None = block(
        "spacy_dynoracle.parser_scorer.v1", of="scorers"
    )

    def __post_init__(self) -> None:
        if not isinstance(self.parsers, dict) or not self.parsers:
            raise ValueError("members: expected at least one parser")
        for name, settings in self.parsers.items():
            check_member(name, settings)
        for name, weight in self.weights.items():
            if name not in self.parsers:
                raise ValueError(f"weights.{name}: there is no member {name!r}")
            if not 0 < weight <= LARGEST_WEIGHT:
                raise ValueError(
                    f"weights.{name} = {weight}: expected more than 0 and at most "
                    f"{LARGEST_WEIGHT:g}"
                )
        check_search("search", self.search)
        check_choice("sentences", self.sentences, SENTENCES)
        check_count("n_threads", self.n_threads, 1, MAX_THREADS)

    @cached_property
    def parsers(self) -> Members:
        """The settings of the members by their names, in their order."""
        return default_members() if self.members is None else self.members

    def settings_of(self, name: str) -> dict[str, Any]:
        """The settings of a member, as keyword arguments of `dynoracle_parser`."""
        shared = {key: getattr(self, key) for key in SHARED}
        return {**shared, **self.parsers[name], "scorer": None}

    @cached_property
    def votes(self) -> FloatArray:
        """The weights of all members, in their order.

        A tiny part of them decides for the members that are named first where votes
        would be equal.
        """
        weights = np.array([self.weights.get(name, 1.0) for name in self.parsers])
        votes: FloatArray = weights * (1 + PREFERENCE * np.arange(len(weights), 0, -1))
        return votes


def check_member(name: str, settings: Any) -> None:
    """Raise ValueError for settings that a member cannot have."""
    if not isinstance(settings, dict):
        raise ValueError(f"members.{name}: expected the settings of a parser")
    for key in settings:
        if key not in OF_A_MEMBER:
            raise ValueError(
                f"members.{name}.{key}: expected one of {', '.join(OF_A_MEMBER)}"
            )
    if not isinstance(settings.get("seed", 0), int):
        raise ValueError(f"members.{name}.seed: expected an integer")
    check_search(f"members.{name}.search", settings.get("search"))
    system = settings.get("system")
    if isinstance(system, TransitionSystem) and system.single_root is False:
        raise ValueError(
            f"members.{name}.system.{system.single_root_name} = false: the trees of a "
            f"committee have one root, so expected null or true"
        )


def check_search(key: str, search: Any) -> None:
    """Raise ValueError for a search that needs a reranker, as members have none."""
    if isinstance(search, HCSearch):
        raise ValueError(
            f"{key}: members of a committee have no reranker, which HCSearch needs: "
            f"use GreedySearch or BeamSearch"
        )
