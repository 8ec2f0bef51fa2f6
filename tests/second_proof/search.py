"""Exhaustive search: every configuration, and the least loss that each can end with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .configuration import UNLABELLED, Arcs, Configuration, System, Transition
from .trees import GoldTable


@dataclass(frozen=True)
class Graph:
    """The configurations that legal transitions reach from the initial one.

    Attributes:
        moves: Of each configuration the legal transitions and where they lead, as
            numbers of configurations.
        order: The numbers, every configuration after those that it leads to; the
            initial configuration has the number 0.
    """

    system: System
    configurations: list[Configuration]
    moves: list[list[tuple[Transition, int]]]
    order: list[int]

    @property
    def terminal(self) -> list[int]:
        is_terminal = self.system.is_terminal
        return [i for i, c in enumerate(self.configurations) if is_terminal(c)]

    def stuck(self) -> list[Configuration]:
        """Configurations that are not terminal and have no legal transition."""
        ends = set(self.terminal)
        return [
            c
            for i, c in enumerate(self.configurations)
            if i not in ends and not self.moves[i]
        ]

    def trees(self) -> list[Arcs]:
        """The trees of all terminal configurations, once each."""
        ends = (self.configurations[i] for i in self.terminal)
        return list(dict.fromkeys(self.system.tree(c) for c in ends))

    def lengths(self) -> tuple[int, int]:
        """The numbers of transitions of the shortest and the longest derivation."""
        shortest, longest = [0] * len(self.order), [0] * len(self.order)
        for i in self.order:
            if self.moves[i]:
                shortest[i] = 1 + min(shortest[j] for _, j in self.moves[i])
                longest[i] = 1 + max(longest[j] for _, j in self.moves[i])
        return shortest[0], longest[0]


def explore(system: System, n: int, labels: Sequence[str | None] = UNLABELLED) -> Graph:
    """All configurations of a sentence of n words.

    Raises:
        ValueError: If a configuration can be reached from itself.
    """
    numbers = {system.initial(n): 0}
    configurations = list(numbers)
    moves: list[list[tuple[Transition, int]]] = []
    for c in configurations:  # Grows.
        here = []
        for transition, after in system.moves(c, labels):
            if after not in numbers:
                numbers[after] = len(configurations)
                configurations.append(after)
            here.append((transition, numbers[after]))
        moves.append(here)
    return Graph(system, configurations, moves, _last_first(moves))


def _last_first(moves: Sequence[Sequence[tuple[Transition, int]]]) -> list[int]:
    """A topological order from the end."""
    order: list[int] = []
    waiting = [len({j for _, j in here}) for here in moves]
    before: list[set[int]] = [set() for _ in moves]
    for i, here in enumerate(moves):
        for _, j in here:
            before[j].add(i)
    ready = [i for i, number in enumerate(waiting) if number == 0]
    while ready:
        j = ready.pop()
        order.append(j)
        for i in before[j]:
            waiting[i] -= 1
            if waiting[i] == 0:
                ready.append(i)
    if len(order) < len(moves):
        raise ValueError("a configuration can be reached from itself")
    return order


def least_losses(graph: Graph, golds: GoldTable) -> npt.NDArray[np.int8]:
    """The least loss of a tree that a configuration can end with.

    Shape: configurations, gold trees.
    """
    best = np.full((len(graph.configurations), len(golds)), 127, np.int8)
    ends = set(graph.terminal)
    for i in graph.order:
        if i in ends:
            best[i] = golds.losses(graph.system.tree(graph.configurations[i]))
        else:
            for _, j in graph.moves[i]:
                np.minimum(best[i], best[j], out=best[i])
    return best
