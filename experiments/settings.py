"""The settings that the papers vary, as changes to the config of the parser.

To compare a new system or oracle, add a line to one of the tables here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from spacy_dynoracle.core import systems
from spacy_dynoracle.registry.learners import RELATIVE_L1

Block = Mapping[str, Any]


@dataclass(frozen=True)
class System:
    """A transition system to train.

    name: name of the system in the table of the core. settings: settings of its block
    in the config. static: oracle that the papers call static or incomplete.
    static_name: name of that oracle in the notes below a table. epochs: number of
    epochs of training.
    """

    name: str
    settings: Block
    static: Block
    static_name: str
    epochs: int = 15

    @property
    def block(self) -> Block:
        """The block of the config."""
        return {"@misc": f"spacy_dynoracle.{self.name}.v1", **self.settings}

    @property
    def without_tags(self) -> str:
        """The registered name of the feature set for text without tags."""
        system = systems.SYSTEMS[self.name]
        return system.default_features_without_tags or system.default_features

    @property
    def crossing(self) -> bool:
        """Whether the system learns trees with crossing arcs as they are."""
        return not systems.SYSTEMS[self.name].projective


def _static(variant: str | None) -> Block:
    return {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": variant}


def _bottom_up(name: str, root: str) -> System:
    """Make the entry of arc-standard or arc-hybrid, with its only static oracle."""
    return System(
        name,
        settings={"root": root, "single_root": None},
        static=_static(None),
        static_name="static",
    )


_INCOMPLETE = {"@misc": "spacy_dynoracle.NonDeterministicOracle.v1"}

# The systems by their names on the command line. The list is explicit, because the
# papers fix the placements of ROOT, the static oracles and the numbers of epochs.
SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "eager": System(
            "ArcEager",
            settings={"tree_constraint": None, "root": "last"},
            static=_static("reduce"),
            static_name="static, preferring REDUCE (Goldberg & Nivre 2013)",
        ),
        # Nivre & Fernandez-Gonzalez (2014) train it in this way.
        "eager-root-first": System(
            "ArcEager",
            settings={"tree_constraint": None, "root": "first"},
            static=_static("shift"),
            static_name="static, preferring SHIFT",
        ),
        "hybrid": _bottom_up("ArcHybrid", "first"),
        "hybrid-root-last": _bottom_up("ArcHybrid", "last"),
        "standard": _bottom_up("ArcStandard", "first"),
        # Liu et al. (2015) train it in this way.
        "standard-left-last": System(
            "ArcStandard",
            settings={"root": "first", "single_root": None},
            static=_static("left-last"),
            static_name="static, LEFT when the head has all right dependents",
        ),
        "standard-root-last": _bottom_up("ArcStandard", "last"),
        "easy-first": System(
            "EasyFirst",
            settings={"single_root": None},
            static=_INCOMPLETE,
            static_name="incomplete (Goldberg & Elhadad 2010)",
            epochs=20,
        ),
        "swap": System(
            "ArcHybridSwap",
            settings={"single_root": None},
            static=_INCOMPLETE,
            static_name="incomplete",
        ),
    }
)
# The oracles for training, by their names on the command line.
ORACLES = ("static", "dynamic")
NONPROJECTIVE = ("drop", "projectivize")
# Coarse tags, and fine ones, which are coarse where a treebank has no others.
TAG_ATTRIBUTES = ("POS", "TAG")
# The exploration policies of the dynamic oracle: follow wrong predictions, or sample.
EXPLORATIONS = ("error", "sample")
# The structured perceptron learns from whole derivations in a beam.
PERCEPTRON, RDA, STRUCTURED = LEARNERS = ("perceptron", "rda", "structured")
# The updates of the structured perceptron: the arguments of `StructuredPerceptron`.
UPDATES: Mapping[str, Block] = MappingProxyType(
    {
        "early": {"update": "early", "negative": "best"},
        "max-violation": {"update": "max_violation", "negative": "best"},
        "best": {"update": "fall_out", "negative": "best"},
        "worst": {"update": "fall_out", "negative": "worst"},
    }
)


@dataclass(frozen=True)
class Setting:
    """All settings of a training run except its treebank and its seed.

    system: one of SYSTEMS. oracle: one of ORACLES. nonprojective: handling of training
    trees with crossing arcs, unless the system learns them. epochs: number of epochs; 0
    for the default of the system. k, p: parameters of exploration with the dynamic
    oracle; sampling has no p. features: registered name of a feature set; None for the
    default of the system. learner: one of LEARNERS. alpha, relative_l1: step size and
    penalty of rda. exploration: one of EXPLORATIONS. beam_size: size of the beam; 0 for
    greedy search. update: one of UPDATES, for the structured perceptron. tag_attr: one
    of TAG_ATTRIBUTES, the tags that features read; None for those of the config.

    Raises ValueError, listing the names, for an unknown name, and for sampling with a
    learner that has no probabilities.
    """

    system: str
    oracle: str = "dynamic"
    nonprojective: str = "drop"
    epochs: int = 0
    k: int = 1
    p: float = 0.9
    features: str | None = None
    learner: str = PERCEPTRON
    alpha: float = 1.0
    relative_l1: float = RELATIVE_L1
    exploration: str = "error"
    beam_size: int = 0
    update: str = "early"
    tag_attr: str | None = None

    def __post_init__(self) -> None:
        for what, value, names in (
            ("system", self.system, tuple(SYSTEMS)),
            ("oracle", self.oracle, ORACLES),
            ("nonprojective", self.nonprojective, NONPROJECTIVE),
            ("learner", self.learner, LEARNERS),
            ("exploration", self.exploration, EXPLORATIONS),
            ("update", self.update, tuple(UPDATES)),
            ("tag_attr", self.tag_attr or "POS", TAG_ATTRIBUTES),
        ):
            if value not in names:
                raise ValueError(
                    f"{what} {value!r}: expected one of {', '.join(names)}"
                )
        if self.epochs < 0 or self.k < 0 or not 0 <= self.p <= 1:
            raise ValueError(
                f"epochs {self.epochs}, k {self.k}, p {self.p}: expected numbers from "
                "0, and a probability"
            )
        if not 0 < self.alpha < float("inf"):
            raise ValueError(f"alpha {self.alpha}: expected a number above 0")
        if not 0 <= self.relative_l1 < float("inf"):
            raise ValueError(
                f"relative_l1 {self.relative_l1}: expected a number from 0"
            )
        if self.beam_size < 0 or (self.learner == STRUCTURED and not self.beam_size):
            raise ValueError(
                f"beam_size {self.beam_size}: expected a number above 0 with "
                f"{STRUCTURED!r}, else from 0"
            )
        if self.exploration == "sample" and self.learner != RDA:
            raise ValueError(f"exploration 'sample' needs the learner {RDA!r}")
        self._forget_unused()

    def _forget_unused(self) -> None:
        """Reset settings that have no effect, so that equal runs have equal names."""
        system = SYSTEMS[self.system]
        if self.epochs == 0:
            object.__setattr__(self, "epochs", system.epochs)
        if system.crossing:
            object.__setattr__(self, "nonprojective", NONPROJECTIVE[-1])
        if self.learner != RDA:
            object.__setattr__(self, "alpha", 1.0)
            object.__setattr__(self, "relative_l1", RELATIVE_L1)
        if self.oracle != "dynamic":
            object.__setattr__(self, "exploration", EXPLORATIONS[0])
        if self.learner == STRUCTURED:
            object.__setattr__(self, "exploration", EXPLORATIONS[0])
            object.__setattr__(self, "k", 1)
            object.__setattr__(self, "p", 0.9)
        if self.learner != STRUCTURED:
            object.__setattr__(self, "update", "early")
        if self.exploration == "sample":
            object.__setattr__(self, "p", 0.9)

    @property
    def name(self) -> str:
        """The name of a directory. Different settings have different names."""
        parts = [self.system, self.oracle]
        if self.learner == RDA:
            parts.append(f"{RDA}-alpha{self.alpha:g}")
            if self.relative_l1 != RELATIVE_L1:
                parts.append(f"l1-{self.relative_l1:g}")
        if self.learner == STRUCTURED:
            parts.append(self.update)
        elif self.exploration == "sample":
            parts.append(f"sample-k{self.k}")
        elif self.oracle == "dynamic":
            parts.append(f"k{self.k}-p{self.p:g}")
        if self.beam_size:
            parts.append(f"beam{self.beam_size}")
        parts += [self.nonprojective, f"{self.epochs}epochs"]
        if self.features is not None:
            parts.append(self.features)
        if self.tag_attr is not None:
            parts.append(self.tag_attr)
        return "-".join(parts)

    def change(self, config: dict[str, Any], component: str) -> None:
        """Change the config of a parser to this setting."""
        system = SYSTEMS[self.system]
        if self.oracle == "dynamic":
            oracle: Block = {"@misc": "spacy_dynoracle.DynamicOracle.v1"}
            exploration = self._exploration()
        else:
            oracle = system.static
        if self.oracle != "dynamic" or self.learner == STRUCTURED:
            exploration = {"@misc": "spacy_dynoracle.NoExploration.v1"}
        config["components"][component].update(
            system=dict(system.block),
            oracle=dict(oracle),
            exploration=dict(exploration),
            nonprojective=self.nonprojective,
            features=None if self.features is None else {"@misc": self.features},
            learner=self._learner(),
        )
        if self.tag_attr is not None:
            config["components"][component]["tag_attr"] = self.tag_attr
            for corpus in config["corpora"].values():
                corpus["attrs"] = [self.tag_attr]
        if self.beam_size:
            config["components"][component]["search"] = {
                "@misc": "spacy_dynoracle.BeamSearch.v1",
                "beam_size": self.beam_size,
            }
        config["training"]["max_epochs"] = self.epochs

    def _exploration(self) -> dict[str, Any]:
        if self.exploration == "sample":
            return {"@misc": "spacy_dynoracle.SamplingExploration.v1", "k": self.k}
        name = "spacy_dynoracle.ErrorExploration.v1"
        return {"@misc": name, "k": self.k, "p": self.p}

    def _learner(self) -> dict[str, Any]:
        if self.learner == RDA:
            return {
                "@misc": "spacy_dynoracle.AdaGradRDA.v1",
                "alpha": self.alpha,
                "relative_l1": self.relative_l1,
            }
        if self.learner == STRUCTURED:
            name = "spacy_dynoracle.StructuredPerceptron.v1"
            return {"@misc": name, **UPDATES[self.update]}
        return {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 0.0}
