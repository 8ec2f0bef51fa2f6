"""Configurations and transitions of every system, as plain tuples.

Nodes are numbers: the words 1..n and ROOT, which is 0. Sources in this package: GN13
is Goldberg & Nivre 2013 (TACL 1), NF14 Nivre & Fernandez-Gonzalez 2014 (Computational
Linguistics 40:2), GE10 Goldberg & Elhadad 2010, dL17 de Lhoneux, Stymne & Nivre 2017.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

ROOT = 0
# The label of arcs where labels are left aside.
UNLABELLED: tuple[str | None, ...] = (None,)


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


class Transition(NamedTuple):
    """
    Attributes:
        pair: In easy-first, the number i of the pair (l_i, l_(i+1)), counted from 1.
    """

    name: str
    label: str | None = None
    pair: int | None = None


Move = tuple[Transition, Configuration]


class System(Protocol):
    """A transition system of the proof."""

    @property
    def root(self) -> str:
        """Where ROOT stands: "first", "last" or "none"."""

    def initial(self, n: int) -> Configuration:
        """The initial configuration of a sentence of n words."""

    def is_terminal(self, c: Configuration) -> bool:
        """Whether parsing ends here."""

    def moves(
        self, c: Configuration, labels: Sequence[str | None] = UNLABELLED
    ) -> Iterator[Move]:
        """Every legal transition, with the configuration that it leads to."""

    def tree(self, c: Configuration) -> Arcs:
        """The tree of a terminal configuration."""


def start(n: int, root: str, *, root_on_stack: bool = False) -> Configuration:
    """All words in the buffer; ROOT behind them, before them or on the stack."""
    words = tuple(range(1, n + 1))
    stack = (ROOT,) if root == "first" and root_on_stack else ()
    before = (ROOT,) if root == "first" and not root_on_stack else ()
    behind = (ROOT,) if root == "last" else ()
    return Configuration(stack, before + words + behind, (None,) * n)
