"""Arc-standard (GN13 section 2.2; Nivre 2004)."""

from collections.abc import Iterator

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


class ArcStandard(System):
    """ROOT is first or last. If it takes one word, that is the last one left."""

    def is_terminal(self, c: Configuration) -> bool:
        return c.stack == (ROOT,) and c.buffer == ()

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        if c.buffer and self._may_shift(c):
            yield Transition("SHIFT"), c.shift()
        if len(c.stack) < 2:
            return
        *below, s1, s0 = c.stack
        for label in labels:
            if s1 != ROOT:
                arcs = c.with_arc(s0, label, s1)
                yield (
                    Transition("LEFT", label),
                    c._replace(stack=(*below, s0), arcs=arcs),
                )
            if s0 != ROOT and self.may_go_right(c):
                yield Transition("RIGHT", label), c.right(label)

    def _may_shift(self, c: Configuration) -> bool:
        """With one root, ROOT last waits until one word is left, or none if there never
        was one.
        """
        waits = self.single_root and self.root == "last" and c.buffer[0] == ROOT
        return not waits or len(c.stack) <= 1
