"""Arc-standard (GN13 section 2.2; Nivre 2004)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .configuration import (
    ROOT,
    UNLABELLED,
    Arcs,
    Configuration,
    Move,
    Transition,
    start,
)


@dataclass(frozen=True)
class ArcStandard:
    """
    Args:
        root: "first" or "last".
        single_root: ROOT takes one word, the last one left.
    """

    root: str = "first"
    single_root: bool = False

    def initial(self, n: int) -> Configuration:
        return start(n, self.root)

    def is_terminal(self, c: Configuration) -> bool:
        return c.stack == (ROOT,) and c.buffer == ()

    def moves(
        self, c: Configuration, labels: Sequence[str | None] = UNLABELLED
    ) -> Iterator[Move]:
        stack, buffer, arcs, *_ = c
        if buffer and self._may_shift(c):
            yield (
                Transition("SHIFT"),
                Configuration((*stack, buffer[0]), buffer[1:], arcs),
            )
        if len(stack) < 2:
            return
        s1, s0 = stack[-2:]
        for label in labels:
            if s1 != ROOT:
                yield (
                    Transition("LEFT", label),
                    Configuration((*stack[:-2], s0), buffer, c.with_arc(s0, label, s1)),
                )
            if s0 != ROOT and self._may_go_right(c):
                yield (
                    Transition("RIGHT", label),
                    Configuration(stack[:-1], buffer, c.with_arc(s1, label, s0)),
                )

    def _may_shift(self, c: Configuration) -> bool:
        """With one root, ROOT last waits until one word is left, or none if there never
        was one.
        """
        waits = self.single_root and self.root == "last" and c.buffer[0] == ROOT
        return not waits or len(c.stack) <= 1

    def _may_go_right(self, c: Configuration) -> bool:
        """With one root, ROOT first takes a word when no other is left."""
        waits = self.single_root and c.stack[-2] == ROOT
        return not waits or (len(c.stack) == 2 and not c.buffer)

    def tree(self, c: Configuration) -> Arcs:
        return c.arcs
