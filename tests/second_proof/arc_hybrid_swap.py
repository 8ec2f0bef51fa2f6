"""Arc-hybrid with SWAP, and its static-dynamic oracle (dL17)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .arc_hybrid import ArcHybrid
from .configuration import ROOT, Configuration, Labels, Move, Transition


class ArcHybridSwap(ArcHybrid):
    """ROOT is last."""

    def moves(self, c: Configuration, labels: Labels) -> Iterator[Move]:
        yield from super().moves(c, labels)
        stack, buffer = c.stack, c.buffer
        if stack and buffer[0] != ROOT and stack[-1] < buffer[0]:
            swapped = (buffer[0], stack[-1], *buffer[1:])
            yield Transition("SWAP"), c.pop()._replace(buffer=swapped)


def projective_order(heads: Sequence[int]) -> dict[int, int]:
    """The rank of each node when the tree is read from left to right, ROOT last."""
    children: dict[int, list[int]] = {}
    for word, head in enumerate(heads, start=1):
        children.setdefault(head, []).append(word)

    def read(node: int) -> Iterator[int]:
        dependents = children.get(node, [])
        for dependent in dependents:
            if node == ROOT or dependent < node:
                yield from read(dependent)
        if node != ROOT:
            yield node
            for dependent in dependents:
                if dependent > node:
                    yield from read(dependent)

    ranks = {word: rank for rank, word in enumerate(read(ROOT))}
    return {**ranks, ROOT: len(heads)}


class Attainable(NamedTuple):
    """The gold dependents of each node that are still to be had: D of dL17."""

    of: tuple[frozenset[int], ...]

    @classmethod
    def all(cls, heads: Sequence[int]) -> "Attainable":
        words = range(1, len(heads) + 1)
        return cls(
            tuple(
                frozenset(w for w in words if heads[w - 1] == node)
                for node in (ROOT, *words)
            )
        )

    def without(self, node: int, dependents: frozenset[int]) -> "Attainable":
        of = list(self.of)
        of[node] = of[node] - dependents
        return Attainable(tuple(of))


def oracle_costs(
    c: Configuration, left: Attainable, heads: Sequence[int], legal: set[str]
) -> dict[str, int]:
    """The costs of dL17 for the legal transitions."""
    rank = projective_order(heads)
    swap_is_due = "SWAP" in legal and rank[c.stack[-1]] > rank[c.buffer[0]]
    costs: dict[str, int] = {}
    for name in legal:
        if name == "SWAP":
            costs[name] = 0 if swap_is_due else 1
        elif name == "SHIFT":
            costs[name] = _shift_cost(c, left, heads, rank)
        else:
            s0 = c.stack[-1]
            head = c.buffer[0] if name == "LEFT" else c.stack[-2]
            gold = heads[s0 - 1]
            loses_head = gold != head and s0 in left.of[gold]
            costs[name] = len(left.of[s0]) + loses_head
    return costs


def _comes_back(c: Configuration, rank: dict[int, int]) -> bool:
    """Whether the front of the buffer will return to it by a SWAP."""
    b = c.buffer[0]
    return any(b < x and rank[x] < rank[b] for x in c.buffer[1:] if x != ROOT)


def _shift_cost(
    c: Configuration, left: Attainable, heads: Sequence[int], rank: dict[int, int]
) -> int:
    if _comes_back(c, rank):
        return 0
    b = c.buffer[0]
    gold = heads[b - 1]
    return len(left.of[b] & set(c.stack)) + (
        gold in c.stack[:-1] and b in left.of[gold]
    )


def attainable_after(
    name: str, c: Configuration, left: Attainable, heads: Sequence[int]
) -> Attainable:
    """D after a transition from c."""
    if name in ("LEFT", "RIGHT"):
        s0 = c.stack[-1]
        left = left.without(s0, left.of[s0])
        return left.without(heads[s0 - 1], frozenset({s0}))
    if name == "SHIFT" and not _comes_back(c, projective_order(heads)):
        b = c.buffer[0]
        gold = heads[b - 1]
        if gold in c.stack[:-1]:
            left = left.without(gold, frozenset({b}))
        return left.without(b, frozenset(c.stack))
    return left
