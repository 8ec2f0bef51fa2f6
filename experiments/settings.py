"""The settings of one training, as changes to the config of the parser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import srsly

from spacy_dynoracle.registry.learners import RELATIVE_L1

PARSER = "dynoracle_parser"
_BLOCKS: Mapping[str, Any] = cast(
    dict[str, Any],
    srsly.yaml_loads(Path(__file__).with_name("systems.yaml").read_text("utf-8")),
)
SYSTEMS: Mapping[str, Mapping[str, Any]] = _BLOCKS["systems"]
LEARNERS: Mapping[str, Mapping[str, Any]] = _BLOCKS["learners"]
DEFAULT_EPOCHS = 15
RDA = "rda"
# Strategies of active learning: at random, everything at once, or the least certain.
RANDOM, ALL, ENTROPY = "random", "all", "entropy"
# Keys of a parser's config that members of a committee have for themselves, and the
# settings that make them.
OF_ONE_PARSER = ("system", "oracle", "exploration", "features")
OF_MEMBERS = (*OF_ONE_PARSER[1:], "k", "p")
# Tags that features read; "none": the parser has none, and the set without tags.
NO_TAGS = "none"
CHOICES: Mapping[str, tuple[Any, ...]] = {
    "system": tuple(SYSTEMS),
    "oracle": ("static", "dynamic"),
    "nonprojective": ("drop", "lift", "projectivize"),
    "exploration": ("error", "sample"),
    "learner": tuple(LEARNERS),
    "tag_attr": (None, NO_TAGS, "POS", "TAG"),
    "removed_from": ("words", "sentences"),
    "reranker": (None, "fine", "coarse"),
    "strategy": (None, RANDOM, ALL, ENTROPY),
}


@dataclass(frozen=True)
class Setting:
    """All settings of a training except its treebank and its seed.

    Attributes:
        system, learner: Names in `systems.yaml`.
        oracle: "static", which is the oracle that `systems.yaml` names, or "dynamic".
        nonprojective: Handling of training trees with crossing arcs, unless the system
            learns them.
        epochs: 0 for as many as the system needs.
        exploration, k, p: Exploration of the dynamic oracle, the epochs before it and
            its probability (sampling has no p).
        features: Registered name of a feature set; None for the default.
        alpha, relative_l1: Step size and penalty of "rda".
        beam_size: 0 for greedy search.
        tag_attr: Tags that features read; None for those of the config.
        labels: False takes the labels away before training.
        removed: Per cent of the heads to make unknown, with removed_from "words", or to
            remove with their sentences.
        reranker: Groups of a reranker that is trained for the beam.
        mixture: Whether the scores of beam and reranker are mixed.
        folds, fold_epochs, rounds, label_loss: See `RerankSettings`; fold_epochs None:
            as many as epochs.
        strategy, start, steps, step_words: Of simulated active learning, see
            `simulation`.

    Raises:
        ValueError: Listing the names, for an unknown name, and for values that are not
            possible.
    """

    system: str = "eager"
    oracle: str = "dynamic"
    nonprojective: str = "drop"
    epochs: int = 0
    exploration: str = "error"
    k: int = 1
    p: float = 0.9
    features: str | None = None
    learner: str = "perceptron"
    alpha: float = 1.0
    relative_l1: float = RELATIVE_L1
    beam_size: int = 0
    tag_attr: str | None = None
    labels: bool = True
    removed: int = 0
    removed_from: str = "words"
    reranker: str | None = None
    mixture: bool = False
    folds: int = 20
    fold_epochs: int | None = None
    rounds: int = 10
    label_loss: bool = False
    strategy: str | None = None
    start: int = 500
    steps: int = 5
    step_words: int = 0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                names = ", ".join(str(choice) for choice in choices if choice)
                raise ValueError(f"{name} {value!r}: expected one of {names}")
        for name, low, high in (
            ("epochs", 0, 10**6),
            ("k", 0, 10**6),
            ("p", 0, 1),
            ("relative_l1", 0, 10**6),
            ("beam_size", 0, 10**6),
            ("removed", 0, 99),
            ("start", 1, 10**9),
        ):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not low <= value <= high:
                raise ValueError(f"{name} {value!r}: expected {low} to {high}")
        if not 0 < self.alpha < float("inf"):
            raise ValueError(f"alpha {self.alpha}: expected a number above 0")
        if self.is_structured and not self.beam_size:
            raise ValueError(f"learner {self.learner!r} needs a beam_size above 0")
        if "committee" in SYSTEMS[self.system] and any(
            getattr(self, name) != getattr(type(self), name) for name in OF_MEMBERS
        ):
            raise ValueError(
                f"system {self.system!r}: its members have their own "
                f"{', '.join(OF_MEMBERS)}"
            )
        if self.exploration == "sample" and self.learner != RDA:
            raise ValueError(f"exploration 'sample' needs the learner {RDA!r}")

    @property
    def is_structured(self) -> bool:
        """Whether the learner learns from whole derivations."""
        return "negative" in LEARNERS[self.learner]

    @property
    def n_epochs(self) -> int:
        """The number of epochs."""
        return self.epochs or int(SYSTEMS[self.system].get("epochs", DEFAULT_EPOCHS))

    def change(self, config: dict[str, Any]) -> None:
        """Change the config of a parser to this setting."""
        system = SYSTEMS[self.system]
        component = config["components"][PARSER]
        component.update(
            nonprojective=system.get("nonprojective", self.nonprojective),
            learner=self._learner(),
        )
        if "committee" in system:
            for key in OF_ONE_PARSER:
                del component[key]
            component.update(system["committee"])
        else:
            component.update(
                system=dict(system["system"]),
                oracle=self._oracle(system),
                exploration=self._exploration(),
                features=None if self.features is None else {"@misc": self.features},
            )
        if self.tag_attr == NO_TAGS:
            component["tag_attr"] = None
        elif self.tag_attr is not None:
            component["tag_attr"] = self.tag_attr
            for corpus in config["corpora"].values():
                corpus["attrs"] = [self.tag_attr]
        if self.beam_size:
            component["search"] = {
                "@misc": "spacy_dynoracle.BeamSearch.v1",
                "beam_size": self.beam_size,
            }
        config["training"]["max_epochs"] = self.n_epochs

    def _oracle(self, system: Mapping[str, Any]) -> dict[str, Any]:
        if self.oracle == "static":
            return dict(system["static"])
        return {"@misc": "spacy_dynoracle.DynamicOracle.v1"}

    def _exploration(self) -> dict[str, Any]:
        if self.oracle == "static" or self.is_structured:
            return {"@misc": "spacy_dynoracle.NoExploration.v1"}
        if self.exploration == "sample":
            return {"@misc": "spacy_dynoracle.SamplingExploration.v1", "k": self.k}
        # Without exploration k has no effect.
        k = self.k if self.p else 0
        return {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": k, "p": self.p}

    def _learner(self) -> dict[str, Any]:
        block = dict(LEARNERS[self.learner])
        if self.learner == RDA:
            block |= {"alpha": self.alpha, "relative_l1": self.relative_l1}
        return block


FIELDS = tuple(field.name for field in fields(Setting))
