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

from ..components.settings import block
from ..core.search.base import Search
from ..core.systems.base import TransitionSystem
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
    "tag_attr", "sentences", "nonprojective", "never_govern", "seed", "learner",
    "search",
)  # fmt: skip
SENTENCES = ("preset", "doc")
DIRECTIONS = ("forward", "backward")
PREFERENCE = 1e-6
# Sums of votes stay exact enough.
LARGEST_WEIGHT = 1e6

Members = dict[str, dict[str, Any]]


def member(system: str, direction: str) -> dict[str, Any]:
    """The config of a member."""
    return {"direction": direction, "system": {"@misc": f"spacy_dynoracle.{system}.v1"}}


DEFAULT_MEMBERS: Members = {
    "eager": member("ArcEager", "forward"),
    "standard": member("ArcStandard", "forward"),
    "standard_backward": member("ArcStandard", "backward"),
    "eager_backward": member("ArcEager", "backward"),
}


@dataclass(frozen=True)
class CommitteeRecipe:
    """The settings of a committee: the keys of its config, with their defaults.

    Attributes:
        members: The parsers, by their names. The settings of a member are some of those
            of `dynoracle_parser`: tag_attr, direction, nonprojective, seed, system,
            oracle, exploration, learner, features, search. With the direction
            "backward" a member reads every sentence from its last word to its first
            one, so that it makes other errors. All trees have one root, and the search
            needs no reranker. None: four parsers, arc-eager and arc-standard in both
            directions.
        weights: The weight of the votes of a member, by its name; 1 for members that
            are not named. Where votes are equal, members that are named earlier win.
        sure_votes: Whether a vote counts the less the less sure the member is of its
            arc: times the lowest probability of its decisions about the word. Only the
            votes of members that learn from single decisions do.
        tag_attr, nonprojective, seed, learner, search: Those of members that have none
            of their own.
        never_govern: As of `dynoracle_parser`, for the members and for their votes.
        sentences: "preset" (one tree for each preset sentence) or "doc" (the Doc is one
            sentence).
        vote_shares: Whether a parse comes with the shares of members that have an arc,
            as the probabilities of `spacy_dynoracle.parser.extensions`
            (`dep_probability`, `head_probability`, distributions and entropies). After
            `spacy-dynoracle calibrate` they are calibrated probabilities, for which
            members draw derivations too, so that parsing takes several times as long.
        scorer: Scores parsed examples; None for no scores.

    Raises:
        ValueError: For settings that are unknown or do not go together.
    """

    # None as the default, because spaCy would add default members to those of a config.
    members: Members | None = None
    weights: dict[str, float] = field(default_factory=dict, metadata={"config": {}})
    sure_votes: bool = False
    tag_attr: str | None = "TAG"
    sentences: str = "preset"
    nonprojective: str = "projectivize"
    never_govern: str | list[str] | None = "auto"
    vote_shares: bool = False
    seed: int = 0
    learner: LearnerFactory = block(
        "spacy_dynoracle.AveragedPerceptron.v1", margin=200, prune=0.01
    )
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
            # spaCy lets strings of digits through.
            if isinstance(weight, str) or not 0 < weight <= LARGEST_WEIGHT:
                raise ValueError(
                    f"weights.{name} = {weight!r}: expected more than 0 and at most "
                    f"{LARGEST_WEIGHT:g}"
                )
        check_choice("sentences", self.sentences, SENTENCES)
        check_search("search", self.search)

    @cached_property
    def parsers(self) -> Members:
        """The settings of the members by their names, in their order."""
        own = self.members
        return registry.resolve(DEFAULT_MEMBERS) if own is None else own

    def settings_of(self, name: str) -> dict[str, Any]:
        """The settings of a member, as keyword arguments of `dynoracle_parser`."""
        settings = {key: getattr(self, key) for key in SHARED} | self.parsers[name]
        backward = settings.pop("direction", DIRECTIONS[0]) == "backward"
        return {**settings, "backward": backward, "scorer": None}

    @cached_property
    def votes(self) -> FloatArray:
        """The weights of all members, in their order.

        A tiny number added to each decides for the members that are named first where
        votes would be equal: that of a member is larger than those of all behind it.
        """
        weights = np.array([self.weights.get(name, 1.0) for name in self.parsers])
        preferences = weights.min() * PREFERENCE * 0.5 ** np.arange(len(weights))
        votes: FloatArray = weights + preferences
        return votes


def check_search(key: str, search: Any) -> None:
    """Raise ValueError for a search that members cannot have."""
    if isinstance(search, Search) and search.needs_part is not None:
        raise ValueError(
            f"{key}: members have no {search.needs_part}, which {search!r} needs: use "
            f"GreedySearch or BeamSearch"
        )
    if isinstance(search, Search) and search.n_best:
        raise ValueError(f"{key}: members have one tree each: set n_best = 0")


def check_member(name: str, settings: Any) -> None:
    """Raise ValueError for settings that a member cannot have."""
    if not isinstance(settings, dict):
        raise ValueError(f"members.{name}: expected the settings of a parser")
    for key in settings:
        if key not in OF_A_MEMBER:
            raise ValueError(
                f"members.{name}.{key}: expected one of {', '.join(OF_A_MEMBER)}"
            )
    direction = settings.get("direction", DIRECTIONS[0])
    check_choice(f"members.{name}.direction", direction, DIRECTIONS)
    if not isinstance(settings.get("seed", 0), int):
        raise ValueError(f"members.{name}.seed: expected an integer")
    check_search(f"members.{name}.search", settings.get("search"))
    system = settings.get("system")
    if isinstance(system, TransitionSystem) and system.single_root is False:
        raise ValueError(
            f"members.{name}.system.{system.single_root_name} = false: the trees of a "
            f"committee have one root, so expected null or true"
        )
