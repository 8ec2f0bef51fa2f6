"""Marginals of arcs, estimated from sampled derivations, and minimum-risk trees.

The marginal of an arc is the share of the sampled derivations that have it. The tree of
minimum risk has the largest expected number of right heads (expected UAS) or of right
heads with right labels (expected LAS). It has the largest *sum* of marginals and need
not be the most frequent tree.

Heads are words 1..n of a sentence or 0 for ROOT; labels are ids of the model, -1 for
none. They are those of the derivations: with pseudo-projective labels a lifted arc is
counted where it was lifted to.

Source of minimum-risk decoding from marginals of arcs: Smith & Smith 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.graph.eisner import projective_tree
from ..core.graph.spanning import spanning_tree
from ..core.results import ArcCounts
from ..util.arrays import FloatArray, Int32Array, IntArray

# Decoding takes memory in the square of the number of words: here about 100 MB.
MAX_WORDS = 2000

UNLABELLED = -1

HeadsAndLabels = tuple[npt.ArrayLike, npt.ArrayLike]


def marginals_by_sentence(
    arcs: ArcCounts, lengths: Sequence[int]
) -> Iterator[Marginals]:
    """The marginals of one sentence after the other.

    Args:
        arcs: What `sample_arcs` returned.
        lengths: The number of words of each sentence.

    Raises:
        ValueError: If they do not fit each other.
    """
    n_words = len(arcs.first) - 1
    if sum(lengths) != n_words:
        raise ValueError(
            f"arcs of {n_words} words for sentences of {sum(lengths)} words together"
        )
    start = 0
    for length in lengths:
        first = arcs.first[start : start + length + 1]
        entries = slice(first[0], first[-1])
        yield Marginals(
            np.repeat(np.arange(1, length + 1), np.diff(first)),
            arcs.heads[entries],
            arcs.labels[entries],
            arcs.counts[entries],
            length,
        )
        start += length


class Marginals:
    """The marginals of one sentence.

    Memory is linear in the number of drawn arcs, except for the matrix of a part of the
    sentence while it is decoded.

    Args:
        dependents, heads, labels, counts: The arcs that were drawn, in any order, and
            how often each was.
        n_words: The number of words.

    Raises:
        ValueError: If the words were not drawn equally often.
    """

    def __init__(
        self,
        dependents: npt.ArrayLike,
        heads: npt.ArrayLike,
        labels: npt.ArrayLike,
        counts: npt.ArrayLike,
        n_words: int,
    ) -> None:
        columns = (dependents, heads, labels, counts)
        arcs = np.array(columns, dtype=np.int64).reshape(4, -1)
        arcs = arcs[:, np.lexsort((arcs[2], -arcs[3], arcs[1], arcs[0]))]
        per_word = np.bincount(arcs[0], arcs[3], minlength=n_words + 1)[1:]
        if len(per_word) != n_words or np.any(per_word != per_word[:1]):
            raise ValueError(
                f"every one of {n_words} words must have the same number of samples"
            )
        self.n_words = n_words
        self.n_samples = int(per_word[0]) if n_words else 0
        keys = self._pair_keys(arcs[0], arcs[1])
        # The first arc of a pair of head and dependent has its best label; arcs with
        # other labels follow.
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        self._pairs = keys[first]
        self._dependents, self._heads = arcs[:2, first]
        self._best_labels, self._label_counts = arcs[2:, first]
        self._pair_counts = np.add.reduceat(arcs[3], first)

    def __len__(self) -> int:
        return self.n_words

    def minimum_risk_tree(
        self,
        *,
        projective: bool,
        single_root: bool = False,
        labelled: bool = True,
        greedy: HeadsAndLabels | None = None,
        max_words: int = MAX_WORDS,
    ) -> tuple[Int32Array, Int32Array]:
        """Heads and labels of the tree of minimum risk.

        The tree has as few arcs as possible that were never drawn, and of those trees
        the best expectation. Such arcs, which get the label -1, are only needed where
        no derivation ended in a tree there is to choose from.

        With any number of roots, parts of the sentence that no drawn arc leaves are
        decoded one by one; that does not change the tree, except among equals. A part
        of more than max_words is not decoded but gets the arcs of `greedy`, the heads
        and labels of the parser's own tree; those that leave the part become roots with
        label -1.

        Args:
            projective, single_root: Which trees there are to choose from.
            labelled: Whether expected LAS decides or expected UAS. Each arc has its
                most frequent label.

        Raises:
            ValueError: Where `greedy` is needed but missing or of another length.
        """
        decode = projective_tree if projective else spanning_tree
        counts = self._label_counts if labelled else self._pair_counts
        heads = np.zeros(self.n_words, dtype=np.int32)
        labels = np.zeros(self.n_words, dtype=np.int32)
        for first, last in self._parts(single_root):
            part = slice(first, last)
            if last - first > max_words:
                heads[part], labels[part] = self._part_of(greedy, first, last)
                continue
            weights = self._weights(counts, first, last)
            try:
                local = decode(weights, single_root=single_root)
            except ValueError:
                # One arc that was never drawn outweighs all others of a tree.
                worst = -((last - first) * self.n_samples + 1.0)
                weights[weights == -np.inf] = worst
                local = decode(weights, single_root=single_root)
            heads[part] = np.where(local > 0, local + first, 0)
            keys = self._pair_keys(np.arange(first + 1, last + 1), heads[part])
            labels[part] = _look_up(self._pairs, self._best_labels, keys)
        return heads, labels

    def _parts(self, single_root: bool) -> list[tuple[int, int]]:
        """The parts that are decoded one by one: for each the number of words
        before it and the number of words up to its end.
        """
        if single_root:
            return [(0, self.n_words)]
        inner = self._heads > 0
        pairs = np.stack([self._heads[inner], self._dependents[inner]])
        # How many drawn arcs pass the place behind each number of words.
        passing = np.zeros(self.n_words + 1, dtype=np.int64)
        np.add.at(passing, pairs.min(axis=0), 1)
        np.add.at(passing, pairs.max(axis=0), -1)
        return list(pairwise(np.flatnonzero(np.cumsum(passing) == 0).tolist()))

    def _weights(self, counts: IntArray, first: int, last: int) -> FloatArray:
        """The weights of the arcs of a part: counts, so that sums are exact."""
        n = last - first
        weights = np.full((n + 1, n + 1), -np.inf)
        start, end = np.searchsorted(self._dependents, [first, last], side="right")
        heads = self._heads[start:end]
        local = np.where(heads > 0, heads - first, 0)
        weights[local, self._dependents[start:end] - first] = counts[start:end]
        return weights

    def _part_of(
        self, tree: HeadsAndLabels | None, first: int, last: int
    ) -> tuple[IntArray, IntArray]:
        """Heads and labels of a part in another tree."""
        if tree is None:
            raise ValueError(
                f"{last - first} words would have to be decoded together: give the "
                f"greedy tree, or a larger max_words"
            )
        heads, labels = (self._of_words(values)[first:last] for values in tree)
        leaves = (heads > 0) & ((heads <= first) | (heads > last))
        return np.where(leaves, 0, heads), np.where(leaves, UNLABELLED, labels)

    # ---- helpers ---------------------------------------------------------------------

    def _pair_keys(self, dependents: IntArray, heads: npt.NDArray[Any]) -> IntArray:
        """A number for each pair; their order is by dependent, then by head."""
        keys: IntArray = dependents * (self.n_words + 1) + heads
        return keys

    def _of_words(self, values: npt.ArrayLike) -> IntArray:
        array: IntArray = np.asarray(values, dtype=np.int64)
        if array.shape != (self.n_words,):
            raise ValueError(
                f"heads or labels of shape {array.shape} for {self.n_words} words"
            )
        return array


def _look_up(keys: IntArray, labels: IntArray, wanted: IntArray) -> IntArray:
    """The labels of the wanted keys among sorted keys, -1 for other keys."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, labels[at], UNLABELLED)
