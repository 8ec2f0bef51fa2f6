"""Easy-first (GE10 section 3; GN13 section 2.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .configuration import (
    ROOT,
    UNLABELLED,
    Arcs,
    Configuration,
    Move,
    Transition,
)


@dataclass(frozen=True)
class EasyFirst:
    """
    Args:
        single_root: ROOT takes one word, the last one left. ROOT is first.
    """

    single_root: bool = False
    root: str = "first"

    def initial(self, n: int) -> Configuration:
        return Configuration(tuple(range(n + 1)), (), (None,) * n)

    def is_terminal(self, c: Configuration) -> bool:
        return c.stack == (ROOT,)

    def moves(
        self, c: Configuration, labels: Sequence[str | None] = UNLABELLED
    ) -> Iterator[Move]:
        nodes = c.stack
        for i in range(len(nodes) - 1):
            left, right = nodes[i : i + 2]
            waits = self.single_root and left == ROOT and len(nodes) > 2
            for label in labels:
                if left != ROOT:
                    yield (
                        Transition("LEFT", label, i + 1),
                        Configuration(
                            nodes[:i] + nodes[i + 1 :],
                            (),
                            c.with_arc(right, label, left),
                        ),
                    )
                if not waits:
                    yield (
                        Transition("RIGHT", label, i + 1),
                        Configuration(
                            nodes[: i + 1] + nodes[i + 2 :],
                            (),
                            c.with_arc(left, label, right),
                        ),
                    )

    def tree(self, c: Configuration) -> Arcs:
        return c.arcs
