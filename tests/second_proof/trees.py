"""Gold trees: every tree over n words, what is known of it, and its loss."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from .configuration import ROOT, Arc, Arcs

# The gold head and label of a word; None where it is unknown.
GoldArc = tuple[int | None, str | None]
Gold = tuple[GoldArc, ...]
Heads = tuple[int, ...]


def is_tree(heads: Heads) -> bool:
    """Whether the path from every word over its heads ends in ROOT."""
    for word in range(1, len(heads) + 1):
        node = word
        for _ in heads:
            if node != ROOT:
                node = heads[node - 1]
        if node != ROOT:
            return False
    return True


def descends(word: int, from_node: int, heads: Heads) -> bool:
    while word not in (from_node, ROOT):
        word = heads[word - 1]
    return word == from_node


def is_projective(heads: Heads) -> bool:
    """Whether every node between the ends of an arc is a descendant of its head."""
    return all(
        descends(between, head, heads)
        for word, head in enumerate(heads, start=1)
        for between in range(min(word, head) + 1, max(word, head))
    )


@cache
def all_trees(n: int) -> tuple[Heads, ...]:
    """Every tree over n words, projective or not: (n + 1)^(n - 1) of them."""
    return tuple(filter(is_tree, product(range(n + 1), repeat=n)))


def trees(
    n: int, *, projective: bool | None = None, single_root: bool = False
) -> list[Heads]:
    """Trees over n words.

    The empty tree counts as one with a single root.

    Args:
        projective: Which ones; None for all.
    """
    return [
        heads
        for heads in all_trees(n)
        if projective in (None, is_projective(heads))
        and not (single_root and heads and heads.count(ROOT) != 1)
    ]


def unlabelled(some: Iterable[Heads]) -> list[Gold]:
    return [tuple((head, None) for head in heads) for heads in some]


def partial(some: Iterable[Heads]) -> list[Gold]:
    """What remains of the trees when any of their heads are unknown, once each."""
    return _distinct(
        product(*([(None, None), (head, None)] for head in heads)) for heads in some
    )


def labelled(some: Iterable[Heads], labels: Sequence[str]) -> list[Gold]:
    """Every labelling of every part of the trees; labels may be unknown, too."""
    return _distinct(
        product(
            *([(None, None), *((head, lb) for lb in (None, *labels))] for head in heads)
        )
        for heads in some
    )


def completely_labelled(some: Iterable[Heads], labels: Sequence[str]) -> list[Gold]:
    """Every labelling of the trees."""
    return _distinct(
        product(*([(head, lb) for lb in labels] for head in heads)) for heads in some
    )


def _distinct(groups: Iterable[Iterable[Gold]]) -> list[Gold]:
    return list(dict.fromkeys(gold for group in groups for gold in group))


def loss(arcs: Arcs, gold: Gold) -> int:
    """The number of words whose known head or label is wrong.

    A word that was attached to ROOT at the end has no label of its own, and no label is
    wrong for it.
    """
    wrong = 0
    for arc, (head, label) in zip(arcs, gold, strict=True):
        if head is None:
            continue
        assert arc is not None
        other_label = None not in (label, arc.label) and label != arc.label
        wrong += arc.head != head or other_label
    return wrong


class GoldTable:
    """Gold trees of one length, for the losses of one tree beside all of them."""

    def __init__(self, golds: Sequence[Gold]) -> None:
        self._golds = golds
        # For an arc into a word, whether it is wrong in each of the gold trees.
        self._wrong: dict[tuple[int, Arc | None], npt.NDArray[np.int8]] = {}

    def __len__(self) -> int:
        return len(self._golds)

    def losses(self, arcs: Arcs) -> npt.NDArray[np.int8]:
        """`loss` of one tree beside every gold tree."""
        total = np.zeros(len(self), np.int8)
        for i, arc in enumerate(arcs):
            total += self._losses_of(i, arc)
        return total

    def _losses_of(self, i: int, arc: Arc | None) -> npt.NDArray[np.int8]:
        if (i, arc) not in self._wrong:
            losses = [loss((arc,), (gold[i],)) for gold in self._golds]
            self._wrong[i, arc] = np.array(losses, np.int8)
        return self._wrong[i, arc]
