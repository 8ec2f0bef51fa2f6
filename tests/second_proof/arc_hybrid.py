"""Arc-hybrid (GN13 section 2.2; Kuhlmann, Gomez-Rodriguez & Satta 2011)."""

from collections.abc import Iterator

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


class ArcHybrid(System):
    """ROOT is first or last. If it takes one word, that is the last one left."""

    def is_terminal(self, c: Configuration) -> bool:
        if self.root == "last":
            return c.stack == () and c.buffer == (ROOT,)
        return c.stack == (ROOT,) and c.buffer == ()

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        stack, buffer = c.stack, c.buffer
        if buffer and (self.root == "first" or buffer[0] != ROOT):
            yield Transition("SHIFT"), c.shift()
        for label in labels:
            if stack and buffer and stack[-1] != ROOT and self._may_go_left(c):
                yield Transition("LEFT", label), c.left(label)
            if len(stack) >= 2 and self.may_go_right(c):
                yield Transition("RIGHT", label), c.right(label)

    def _may_go_left(self, c: Configuration) -> bool:
        """With one root, ROOT last takes a word when no other is left."""
        waits = self.single_root and c.buffer[0] == ROOT
        return not waits or len(c.stack) == 1
