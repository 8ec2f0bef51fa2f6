"""What the papers vary, as changes of the parser's part of a config.

A new system or oracle to compare is a line in one of the tables here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

Block = Mapping[str, Any]


@dataclass(frozen=True)
class System:
    """A transition system to train.

    block: of the config. static: the oracle that the papers call static, or incomplete.
    static_name: what it is, for the notes below a table. epochs: of training. crossing:
    whether it learns trees with crossing arcs as they are.
    """

    block: Block
    static: Block
    static_name: str
    epochs: int = 15
    crossing: bool = False


def _static(variant: str | None) -> Block:
    return {"@misc": "spacy_dynoracle.StaticOracle.v1", "variant": variant}


def _bottom_up(name: str, root: str) -> System:
    """Arc-standard or arc-hybrid, with its one static oracle."""
    return System(
        block={
            "@misc": f"spacy_dynoracle.{name}.v1",
            "root": root,
            "single_root": None,
        },
        static=_static(None),
        static_name="static",
    )


_INCOMPLETE = {"@misc": "spacy_dynoracle.NonDeterministicOracle.v1"}
_ARC_EAGER = {"@misc": "spacy_dynoracle.ArcEager.v1", "tree_constraint": None}

# By their names on the command line.
SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "eager": System(
            block={**_ARC_EAGER, "root": "last"},
            static=_static("reduce"),
            static_name="static, preferring REDUCE (Goldberg & Nivre 2013)",
        ),
        # As Nivre & Fernandez-Gonzalez (2014) train it.
        "eager-root-first": System(
            block={**_ARC_EAGER, "root": "first"},
            static=_static("shift"),
            static_name="static, preferring SHIFT",
        ),
        "hybrid": _bottom_up("ArcHybrid", "first"),
        "hybrid-root-last": _bottom_up("ArcHybrid", "last"),
        "standard": _bottom_up("ArcStandard", "first"),
        "standard-root-last": _bottom_up("ArcStandard", "last"),
        "easy-first": System(
            block={"@misc": "spacy_dynoracle.EasyFirst.v1", "single_root": None},
            static=_INCOMPLETE,
            static_name="incomplete (Goldberg & Elhadad 2010)",
            epochs=20,
        ),
        "swap": System(
            block={"@misc": "spacy_dynoracle.ArcHybridSwap.v1", "single_root": None},
            static=_INCOMPLETE,
            static_name="incomplete",
            crossing=True,
        ),
    }
)
# The oracles a system is trained with, by their names on the command line.
ORACLES = ("static", "dynamic")
NONPROJECTIVE = ("drop", "projectivize")


@dataclass(frozen=True)
class Setting:
    """One way to train: all that a run is but its treebank and its seed.

    system: of SYSTEMS. oracle: of ORACLES. nonprojective: what happens to training
    trees with crossing arcs, unless the system learns them. epochs: 0 for as many as
    the system needs. k, p: error exploration with the dynamic oracle. features: the
    registered name of a feature set; None for the one that suits the system.

    Raises ValueError, listing the names, for an unknown one.
    """

    system: str
    oracle: str = "dynamic"
    nonprojective: str = "drop"
    epochs: int = 0
    k: int = 1
    p: float = 0.9
    features: str | None = None

    def __post_init__(self) -> None:
        for what, value, names in (
            ("system", self.system, tuple(SYSTEMS)),
            ("oracle", self.oracle, ORACLES),
            ("nonprojective", self.nonprojective, NONPROJECTIVE),
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
        system = SYSTEMS[self.system]
        if self.epochs == 0:
            object.__setattr__(self, "epochs", system.epochs)
        if system.crossing:
            # It makes no difference: one name for the one run.
            object.__setattr__(self, "nonprojective", NONPROJECTIVE[-1])

    @property
    def name(self) -> str:
        """A name for a directory; different settings have different ones."""
        parts = [self.system, self.oracle]
        if self.oracle == "dynamic":
            parts.append(f"k{self.k}-p{self.p:g}")
        parts += [self.nonprojective, f"{self.epochs}epochs"]
        if self.features is not None:
            parts.append(self.features)
        return "-".join(parts)

    def change(self, config: dict[str, Any], component: str) -> None:
        """Make the config of a parser that of this setting."""
        system = SYSTEMS[self.system]
        if self.oracle == "dynamic":
            oracle: Block = {"@misc": "spacy_dynoracle.DynamicOracle.v1"}
            exploration: Block = {
                "@misc": "spacy_dynoracle.ErrorExploration.v1",
                "k": self.k,
                "p": self.p,
            }
        else:
            oracle = system.static
            exploration = {"@misc": "spacy_dynoracle.NoExploration.v1"}
        config["components"][component].update(
            system=dict(system.block),
            oracle=dict(oracle),
            exploration=dict(exploration),
            nonprojective=self.nonprojective,
            features=None if self.features is None else {"@misc": self.features},
        )
        config["training"]["max_epochs"] = self.epochs
