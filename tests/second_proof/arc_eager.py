"""Arc-eager (GN13 section 2.2; with ROOT first or without ROOT: NF14 section 2)."""

from collections.abc import Iterator

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


class ArcEager(System):
    """With ROOT last, a configuration is terminal when the stack is empty and only ROOT
    is in the buffer. Otherwise the buffer is empty, and words that are still headless
    become dependents of ROOT.
    """

    root_on_stack = True

    def is_terminal(self, c: Configuration) -> bool:
        if self.root == "last":
            return c.stack == () and c.buffer == (ROOT,)
        return c.buffer == ()

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        if self.is_terminal(c):
            return
        if c.buffer and c.buffer[0] != ROOT:
            yield Transition("SHIFT"), c.shift()
        if not c.stack:
            return
        s = c.stack[-1]
        if s != ROOT and not c.headless(s):
            yield Transition("REDUCE"), c.pop()
        if not c.buffer:
            return
        b = c.buffer[0]
        for label in labels:
            if b != ROOT:
                yield Transition("RIGHT", label), c.shift(c.with_arc(s, label, b))
            if s != ROOT and c.headless(s):
                yield Transition("LEFT", label), c.left(label)
