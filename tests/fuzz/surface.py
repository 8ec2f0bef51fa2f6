"""What a surface is, and what its cases find."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol

# A case returns how much it tried, in the unit of the surface. It raises an
# AssertionError if something came out that must not, and lets everything else pass that
# it does not expect.
Case = Callable[[random.Random], int]

NAMES = (
    *("models", "conllu", "commands", "configs", "records"),
    *("threads", "disks", "tokenizers", "merges", "tables"),
)


class Limits(NamedTuple):
    """What a case may use.

    Attributes:
        cpu_seconds: More is a hang.
        memory_mb: What a case may add to the memory of its process.
        seconds: After so many the container is ended.
    """

    cpu_seconds: float = 5.0
    memory_mb: float = 500.0
    seconds: float = 90.0


class Surface(Protocol):
    """The module of a surface.

    Attributes:
        UNIT: What `Case` counts, in the plural.
        SHORT: Cases in a short round.
        LIMITS: Of a case.
    """

    UNIT: str
    SHORT: int
    LIMITS: Limits

    def prepare(self, directory: Path) -> None:
        """Write what the cases need into an empty directory, once for a round."""

    def cases(self, directory: Path) -> Case:
        """Make the function that tries a case, in the container.

        Args:
            directory: As `prepare` left it; cases may write below its subdirectory
                `scratch`.
        """


def surface(name: str) -> Surface:
    """The surface with a name of `NAMES`."""
    found: Surface = import_module(f"{__package__}.{name}")  # type: ignore[assignment]
    return found


def random_of(name: str, seed: int, number: int) -> random.Random:
    """The random numbers of a case."""
    return random.Random(f"{name} {seed} {number}")
