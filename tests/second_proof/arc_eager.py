"""Arc-eager (GN13 section 2.2; with ROOT first or without ROOT: NF14 section 2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .configuration import (
    ROOT,
    UNLABELLED,
    Arc,
    Arcs,
    Configuration,
    Move,
    Transition,
    start,
)


@dataclass(frozen=True)
class ArcEager:
    """With ROOT last, a configuration is terminal when the stack is empty and only ROOT
    is in the buffer. Otherwise the buffer is empty, and words that are still headless
    become dependents of ROOT.

    Args:
        root: "last", "first" or "none".
    """

    root: str = "last"

    def initial(self, n: int) -> Configuration:
        return start(n, self.root, root_on_stack=True)

    def is_terminal(self, c: Configuration) -> bool:
        if self.root == "last":
            return c.stack == () and c.buffer == (ROOT,)
        return c.buffer == ()

    def moves(
        self, c: Configuration, labels: Sequence[str | None] = UNLABELLED
    ) -> Iterator[Move]:
        if self.is_terminal(c):
            return
        stack, buffer, arcs, *_ = c
        if buffer and buffer[0] != ROOT:
            yield (
                Transition("SHIFT"),
                Configuration((*stack, buffer[0]), buffer[1:], arcs),
            )
        if not stack:
            return
        s = stack[-1]
        if s != ROOT and not c.headless(s):
            yield Transition("REDUCE"), Configuration(stack[:-1], buffer, arcs)
        if not buffer:
            return
        b = buffer[0]
        for label in labels:
            if b != ROOT:
                yield (
                    Transition("RIGHT", label),
                    Configuration((*stack, b), buffer[1:], c.with_arc(s, label, b)),
                )
            if s != ROOT and c.headless(s):
                yield (
                    Transition("LEFT", label),
                    Configuration(stack[:-1], buffer, c.with_arc(b, label, s)),
                )

    def tree(self, c: Configuration) -> Arcs:
        return tuple(arc or Arc(ROOT) for arc in c.arcs)
