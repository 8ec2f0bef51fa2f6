"""Easy-first (GE10 section 3; GN13 section 2.2)."""

from collections.abc import Iterator
from itertools import pairwise

from .configuration import ROOT, Configuration, Labels, Move, System, Transition


class EasyFirst(System):
    """ROOT is first. If it takes one word, that is the last one left."""

    def initial(self, n: int) -> Configuration:
        return Configuration(tuple(range(n + 1)), (), (None,) * n)

    def is_terminal(self, c: Configuration) -> bool:
        return c.stack == (ROOT,)

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        nodes = c.stack
        for i, (left, right) in enumerate(pairwise(nodes), start=1):
            arcs = [("LEFT", right, left)] if left != ROOT else []
            if not (self.single_root and left == ROOT and len(nodes) > 2):
                arcs.append(("RIGHT", left, right))
            for label in labels:
                for name, head, word in arcs:
                    rest = tuple(node for node in nodes if node != word)
                    after = Configuration(rest, (), c.with_arc(head, label, word))
                    yield Transition(name, label, i), after
