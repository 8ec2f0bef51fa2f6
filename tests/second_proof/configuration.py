"""Configurations and transitions of every system, as plain tuples.

Nodes are numbers: the words 1..n and ROOT, which is 0. Sources in this package: GN13
is Goldberg & Nivre 2013 (TACL 1), NF14 Nivre & Fernandez-Gonzalez 2014 (Computational
Linguistics 40:2), GE10 Goldberg & Elhadad 2010, dL17 de Lhoneux, Stymne & Nivre 2017.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

ROOT = 0
Labels = Sequence[str | None]
# The label of arcs where labels are left aside.
UNLABELLED: Labels = (None,)


class Arc(NamedTuple):
    """The arc into a word: its head and its label."""

    head: int
    label: str | None = None


# The arc into each word 1..n; None while it is headless.
Arcs = tuple[Arc | None, ...]


class Configuration(NamedTuple):
    """In easy-first the stack is the list of nodes that are left, and the buffer is
    empty.

    Attributes:
        stack: The top last.
        buffer: The front first.
        end_seen: The e of NF14.
        back: Words that have gone back to the buffer, in non-monotonic arc-eager.
    """

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: Arcs
    end_seen: bool = False
    back: frozenset[int] = frozenset()

    def headless(self, node: int) -> bool:
        return node == ROOT or self.arcs[node - 1] is None

    def with_arc(self, head: int, label: str | None, dependent: int) -> Arcs:
        """The arcs and one more."""
        assert dependent != ROOT
        assert self.headless(dependent)
        i = dependent - 1
        return (*self.arcs[:i], Arc(head, label), *self.arcs[i + 1 :])

    def shift(self, arcs: Arcs | None = None) -> "Configuration":
        """The front of the buffer goes onto the stack, perhaps with other arcs."""
        stack, arcs = (*self.stack, self.buffer[0]), arcs or self.arcs
        return self._replace(stack=stack, buffer=self.buffer[1:], arcs=arcs)

    def pop(self, arcs: Arcs | None = None) -> "Configuration":
        """The top leaves the stack, perhaps with other arcs."""
        return self._replace(stack=self.stack[:-1], arcs=arcs or self.arcs)

    def left(self, label: str | None) -> "Configuration":
        """The front of the buffer takes the top of the stack."""
        return self.pop(self.with_arc(self.buffer[0], label, self.stack[-1]))

    def right(self, label: str | None) -> "Configuration":
        """The node below the top of the stack takes the top."""
        return self.pop(self.with_arc(self.stack[-2], label, self.stack[-1]))


class Transition(NamedTuple):
    """
    Attributes:
        pair: In easy-first, the number i of the pair (l_i, l_(i+1)), counted from 1.
    """

    name: str
    label: str | None = None
    pair: int | None = None


Move = tuple[Transition, Configuration]


@dataclass(frozen=True)
class System:
    """A transition system of the proof, and what most systems share.

    Attributes:
        root: Where ROOT stands: "first", "last" or "none".
        single_root: Whether ROOT takes one word.
        root_on_stack: Whether ROOT, where it is first, begins on the stack.
    """

    root: str
    single_root: bool = False
    root_on_stack: ClassVar[bool] = False

    def initial(self, n: int) -> Configuration:
        """All words in the buffer; ROOT behind them, before them or on the stack."""
        words, first = tuple(range(1, n + 1)), (ROOT,) * (self.root == "first")
        stack, before = (first, ()) if self.root_on_stack else ((), first)
        behind = (ROOT,) * (self.root == "last")
        return Configuration(stack, before + words + behind, (None,) * n)

    def is_terminal(self, c: Configuration) -> bool:
        """Whether parsing ends here."""
        raise NotImplementedError

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        """Every legal transition, with the configuration that it leads to."""
        raise NotImplementedError

    def tree(self, c: Configuration) -> Arcs:
        """The tree of a terminal configuration: ROOT takes words without a head."""
        return tuple(arc or Arc(ROOT) for arc in c.arcs)

    def may_go_right(self, c: Configuration) -> bool:
        """Whether the second node of the stack may take the first: where ROOT takes one
        word, that is the last one left.
        """
        waits = self.single_root and c.stack[-2] == ROOT
        return not waits or (len(c.stack) == 2 and not c.buffer)
