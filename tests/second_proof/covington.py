"""Covington's system with jumps (Covington 2001; Nivre 2008; GF15: Gomez-Rodriguez &
Fernandez-Gonzalez 2015).
"""

from collections.abc import Iterator

from .configuration import ROOT, Arcs, Configuration, Labels, Move, System, Transition


class Covington(System):
    """The stack is lambda1, the words up to the focus. ROOT is last. If it takes one
    word, that word takes all others that are left; else ROOT takes in the end what it
    has passed.
    """

    def is_terminal(self, c: Configuration) -> bool:
        return not c.stack and c.buffer == (ROOT,)

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        focus, b = len(c.stack), c.buffer[0]
        if b != ROOT:
            yield Transition("SHIFT"), _focused(c.arcs, b, c.buffer[1:])
        if not focus:
            return
        root = self._root(c)
        head = b if root is None else root
        again = self.single_root and head == ROOT
        for label in labels:
            if _may_be_added(c.arcs, b, focus):
                arcs = c.with_arc(head, label, focus)
                after = len(arcs) if again else focus - 1
                yield Transition("LEFT", label), _focused(arcs, after, c.buffer)
            if _may_be_added(c.arcs, focus, b):
                arcs = c.with_arc(focus, label, b)
                yield Transition("RIGHT", label), _focused(arcs, focus - 1, c.buffer)
        others = any(c.headless(word) for word in c.stack[:-1])
        at_root = not self.single_root or (again and others)
        if (focus > 1) if b != ROOT else at_root:
            yield Transition("PASS"), _focused(c.arcs, focus - 1, c.buffer)
        target = _next_without_crossing(c.arcs, focus)
        if b != ROOT and 0 < target < focus - 1:
            yield Transition("JUMP"), _focused(c.arcs, target, c.buffer)

    def _root(self, c: Configuration) -> int | None:
        """The word that ROOT has taken, if it is to have one."""
        for word, arc in enumerate(c.arcs, start=1):
            if self.single_root and arc is not None and arc.head == ROOT:
                return word
        return None


def _may_be_added(arcs: Arcs, head: int, word: int) -> bool:
    """Whether the word has no head, and the arc closes no cycle."""
    if word == ROOT or arcs[word - 1] is not None:
        return False
    while head not in (word, ROOT):
        arc = arcs[head - 1]
        if arc is None:
            return True
        head = arc.head
    return head == ROOT


def _focused(arcs: Arcs, focus: int, buffer: tuple[int, ...]) -> Configuration:
    """The configuration with the focus on a word, or on the next one to the left that
    can have an arc with the front of the buffer.
    """
    b = buffer[0]
    while focus and not (
        _may_be_added(arcs, b, focus) or _may_be_added(arcs, focus, b)
    ):
        focus -= 1
    return Configuration(tuple(range(1, focus + 1)), buffer, arcs)


def _next_without_crossing(arcs: Arcs, word: int) -> int:
    """The head of a word if it is to the left; else the word before the leftmost one to
    which leftmost dependents lead from it.
    """
    arc = arcs[word - 1]
    if arc is not None and ROOT < arc.head < word:
        return arc.head
    while True:
        below = [d for d in range(1, word) if (a := arcs[d - 1]) and a.head == word]
        if not below:
            return word - 1
        word = min(below)
