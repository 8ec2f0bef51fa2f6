"""Non-monotonic arc-eager: arc-eager in which arcs and SHIFT can be taken back.

After a summary of Honnibal & Johnson 2015: LEFT takes a word that has a head, too; a
headless word may go back from the stack to the buffer (UNSHIFT), once.
"""

from collections.abc import Iterator

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


class NonMonotonicArcEager(System):
    """A configuration is terminal when only ROOT is left. A word that went back is
    shifted again if the stack is empty; else it must be joined with a word there.

    ROOT is last or first. The one word that it takes is the last one of the stack if
    ROOT stands last; if it stands first, a word that stays as long as there is a
    buffer.
    """

    root_on_stack = True

    def is_terminal(self, c: Configuration) -> bool:
        return c.stack + c.buffer == (ROOT,)

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        if self.is_terminal(c):
            return
        if c.buffer and c.buffer[0] != ROOT:
            b = c.buffer[0]
            if not c.stack or b not in c.back:
                yield Transition("SHIFT"), c.shift()
            if c.stack and self._may_take(c):
                for label in labels:
                    arcs = c.with_arc(c.stack[-1], label, b)
                    yield Transition("RIGHT", label), c.shift(arcs)
        if c.stack and c.stack[-1] != ROOT:
            yield from self._moves_of_top(c, labels)

    def _moves_of_top(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        """Moves that take a word from the stack."""
        s = c.stack[-1]
        if not c.headless(s):
            if not (self._is_root(c, s) and c.buffer):
                yield Transition("REDUCE"), c.pop()
        elif len(c.stack) > 1 and s not in c.back:
            buffer, back = (s, *c.buffer), c.back | {s}
            yield Transition("UNSHIFT"), c.pop()._replace(buffer=buffer, back=back)
        alone = len(c.stack) == 1
        if c.buffer and (c.buffer[0] != ROOT or alone or not self.single_root):
            free = c._replace(arcs=(*c.arcs[: s - 1], None, *c.arcs[s:]))
            for label in labels:
                yield Transition("LEFT", label), free.left(label)

    def _is_root(self, c: Configuration, word: int) -> bool:
        """Whether a word is the only dependent that ROOT may have."""
        arc = c.arcs[word - 1]
        return self.single_root and arc is not None and arc.head == ROOT

    def _may_take(self, c: Configuration) -> bool:
        """Whether the top of the stack may get one more dependent."""
        words = range(1, len(c.arcs) + 1)
        return c.stack[-1] != ROOT or not any(self._is_root(c, k) for k in words)
