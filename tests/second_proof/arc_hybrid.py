"""Arc-hybrid (GN13 section 2.2; Kuhlmann, Gomez-Rodriguez & Satta 2011)."""

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
class ArcHybrid:
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
        if self.root == "last":
            return c.stack == () and c.buffer == (ROOT,)
        return c.stack == (ROOT,) and c.buffer == ()

    def moves(
        self, c: Configuration, labels: Sequence[str | None] = UNLABELLED
    ) -> Iterator[Move]:
        stack, buffer, arcs, *_ = c
        if buffer and (self.root == "first" or buffer[0] != ROOT):
            yield (
                Transition("SHIFT"),
                Configuration((*stack, buffer[0]), buffer[1:], arcs),
            )
        for label in labels:
            if stack and buffer and stack[-1] != ROOT and self._may_go_left(c):
                yield (
                    Transition("LEFT", label),
                    Configuration(
                        stack[:-1], buffer, c.with_arc(buffer[0], label, stack[-1])
                    ),
                )
            if len(stack) >= 2 and self._may_go_right(c):
                yield (
                    Transition("RIGHT", label),
                    Configuration(
                        stack[:-1], buffer, c.with_arc(stack[-2], label, stack[-1])
                    ),
                )

    def _may_go_left(self, c: Configuration) -> bool:
        """With one root, ROOT last takes a word when no other is left."""
        waits = self.single_root and c.buffer[0] == ROOT
        return not waits or len(c.stack) == 1

    def _may_go_right(self, c: Configuration) -> bool:
        """With one root, ROOT first takes a word when no other is left."""
        waits = self.single_root and c.stack[-2] == ROOT
        return not waits or (len(c.stack) == 2 and not c.buffer)

    def tree(self, c: Configuration) -> Arcs:
        return c.arcs
