"""Arc-eager with the tree constraint (NF14 section 3).

Words that are headless at the end of the input go back to the buffer one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


@dataclass(frozen=True)
class ArcEagerUnshift(System):
    """The paper has ROOT first and no ROOT.

    With ROOT last, the end of the input is seen when only ROOT is left in the buffer.
    The words on the stack are then joined as if there were no ROOT, and ROOT takes the
    word that is left. So, "roots" matters for ROOT first alone: ROOT gets any number of
    dependents; one; or one, for which it waits until it is the only node left beside
    it.

    Attributes:
        roots: "any", "one" or "one at end".
    """

    roots: str = "any"
    root_on_stack = True

    def _words(self, c: Configuration) -> tuple[int, ...]:
        """The words of the buffer: ROOT last does not count."""
        return tuple(node for node in c.buffer if node != ROOT)

    def is_terminal(self, c: Configuration) -> bool:
        stack, words = c.stack, self._words(c)
        if not c.arcs:
            return True
        if self.root == "first":
            return c.end_seen and stack == (ROOT,) and not words
        if self.root == "last":
            return not stack and not words
        return c.end_seen and (
            (len(stack) == 1 and not words) or (not stack and len(words) == 1)
        )

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        if self.is_terminal(c):
            return
        stack, words = c.stack, self._words(c)
        end = c.end_seen or len(words) == 1
        # Without a ROOT node, the last word is the root where it is; ROOT at the end
        # of the buffer takes it from the stack.
        if words and (not c.end_seen or (self.root == "last" and not stack)):
            yield Transition("SHIFT"), c.shift()._replace(end_seen=end)
        if not stack:
            return
        s = stack[-1]
        if s != ROOT and not c.headless(s) and self._may_reduce(c, s):
            yield Transition("REDUCE"), c.pop()
        if not words:
            yield from self._at_the_end(c, labels)
            return
        b = words[0]
        for label in labels:
            if s != ROOT or self._may_take(c):
                after = c.shift(c.with_arc(s, label, b))
                yield Transition("RIGHT", label), after._replace(end_seen=end)
            if s != ROOT and c.headless(s):
                yield Transition("LEFT", label), c.left(label)

    def _at_the_end(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        """Moves other than REDUCE where no word is in the buffer."""
        s = c.stack[-1]
        if s == ROOT or not c.headless(s):
            return
        if len(c.stack) > 1:
            buffer = (s, *c.buffer)
            yield Transition("UNSHIFT"), c.pop()._replace(buffer=buffer, end_seen=True)
            return
        for label in labels:
            after = c.pop(c.with_arc(ROOT, label, s))
            yield Transition("LEFT", label), after._replace(end_seen=True)

    def _root_has_dependent(self, c: Configuration) -> bool:
        return any(arc is not None and arc.head == ROOT for arc in c.arcs)

    def _may_take(self, c: Configuration) -> bool:
        """Whether ROOT on the stack may take the front of the buffer."""
        if self.roots == "one":
            return not self._root_has_dependent(c)
        if self.roots == "one at end":
            return not self._root_has_dependent(c) and len(c.buffer) == 1
        return True

    def _may_reduce(self, c: Configuration, s: int) -> bool:
        """The only dependent of ROOT stays until all words have found a head."""
        arc = c.arcs[s - 1]
        of_root = arc is not None and arc.head == ROOT
        return self.roots == "any" or not of_root or not c.buffer
