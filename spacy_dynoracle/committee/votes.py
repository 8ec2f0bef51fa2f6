"""The arcs that the members of a committee are for, and their probabilities.

Every member votes for the arcs of its tree. Members whose scores are probabilities also
draw derivations at random, and every derivation votes for its arcs: so an arc for which
all trees vote, but not all derivations, is less certain. Votes and derivations have
one half of the share of an arc each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..util.arrays import FloatArray, IdArray, IntArray
from .ballots import Ballot
from .calibration import VoteCalibration

Integers = npt.NDArray[np.integer]


@dataclass(frozen=True)
class ArcShares:
    """The arcs that members are for, one entry for each arc of each word.

    Attributes:
        words: The dependents, ascending, by their numbers among the words.
        distances: Those of the heads in characters, ascending for each word.
        labels: Ids.
        counts: Of the votes, whose sum is `total` for every word.
        head_of: For each arc the number of its pair of dependent and head.
        first: For each pair its first arc.
    """

    n_words: int
    total: int
    words: IntArray
    distances: IntArray
    labels: IdArray
    counts: IntArray
    head_of: IntArray
    first: IntArray

    @classmethod
    def of(
        cls, ballots: Sequence[Ballot], words: IntArray, characters: IntArray
    ) -> ArcShares:
        """Count the votes of all members, each as much as the others.

        Args:
            words: The tokens that are words.
            characters: For each token its first one.
        """
        drawing = [ballot.drawn for ballot in ballots if ballot.drawn is not None]
        # Integers, so that sums are exact: the members that draw have one half.
        n, n_drawn = len(ballots), sum(drawn.n_samples for drawn in drawing)
        of_tree, of_sample = n_drawn or 1, n
        number = np.full(len(characters), -1)
        number[words] = np.arange(len(words))
        columns = []
        for ballot in ballots:
            heads = words + ballot.table[words, 0].view(np.int64)
            distances = characters[heads] - characters[words]
            counts = np.full(len(words), of_tree)
            columns.append(
                (np.arange(len(words)), distances, ballot.table[words, 1], counts)
            )
        for drawn in drawing:
            counts = drawn.counts.astype(np.int64) * of_sample
            columns.append((number[drawn.tokens], *drawn[1:3], counts))
        return cls.counted(len(words), n * of_tree + n_drawn * of_sample, columns)

    @classmethod
    def counted(
        cls,
        n_words: int,
        total: int,
        columns: Sequence[tuple[IntArray, Integers, IdArray, Integers]],
    ) -> ArcShares:
        """Equal arcs as one entry.

        Args:
            columns: Words, distances, labels and counts. In the place of distances may
                be the numbers of the heads, which also tell the heads of a word apart.
        """
        words, distances, labels, counts = map(
            np.concatenate, zip(*columns, strict=True)
        )
        order = np.lexsort((labels, distances, words))
        words, distances, labels = words[order], distances[order], labels[order]
        new_head = _changes(words) | _changes(distances)
        first = np.flatnonzero(new_head | _changes(labels))
        new_head = new_head[first]
        return cls(
            n_words,
            total,
            words[first],
            distances[first],
            labels[first],
            np.add.reduceat(counts[order], first) if n_words else counts,
            np.cumsum(new_head) - 1,
            np.flatnonzero(new_head),
        )

    # ---- one arc of each word --------------------------------------------------------

    def of_heads(self, values: FloatArray, distances: Integers) -> FloatArray:
        """The values of one head of each word; 0 for heads that no member is for.

        Args:
            values: Of the pairs of dependent and head.
            distances: Those of the heads.
        """
        dependents = self.words[self.first]
        found = self.distances[self.first] == distances[dependents]
        return _by_word(dependents[found], values[found], self.n_words)

    def of_arcs(
        self, values: FloatArray, distances: Integers, labels: IdArray
    ) -> FloatArray:
        """As `of_heads`, of one arc of each word."""
        found = self.distances == distances[self.words]
        found &= self.labels == labels[self.words]
        return _by_word(self.words[found], values[found], self.n_words)

    # ---- shares and probabilities ----------------------------------------------------

    @property
    def head_shares(self) -> FloatArray:
        """For each pair of dependent and head the share of the votes."""
        return np.bincount(self.head_of, self.counts, len(self.first)) / self.total

    @property
    def shares(self) -> FloatArray:
        """For each arc the share of the votes."""
        return self.counts / self.total

    def probabilities(
        self, calibration: VoteCalibration | None
    ) -> tuple[FloatArray, FloatArray]:
        """The probability of each pair of dependent and head, and of each arc.

        Args:
            calibration: None for the shares of the votes. The probabilities of the
                heads of a word add up to at most 1, those of the labels of a head to at
                most that of the head.
        """
        if calibration is None:
            return self.head_shares, self.shares
        heads = calibration.of_heads(self.head_shares)
        heads = within(np.ones(self.n_words), self.words[self.first], heads)
        arcs = calibration.of_arcs(self.shares)
        return heads, within(heads, self.head_of, arcs)


def within(limits: FloatArray, groups: IntArray, values: FloatArray) -> FloatArray:
    """Probabilities whose sum in each group is at most a limit.

    The largest value of a group stays, as far as it can, because it is known best: most
    probabilities that are used are those of arcs of the tree. The others are scaled.

    Args:
        limits: Of the groups.
        groups: For each value the number of its group, ascending; no group is empty.
    """
    order = np.lexsort((-values, groups))
    largest = order[_changes(groups[order])]
    top = np.minimum(values[largest], limits)
    others = np.bincount(groups, values) - values[largest]
    room = limits - top
    scale = np.ones(len(limits))
    np.divide(room, others, out=scale, where=others > room)
    found: FloatArray = values * scale[groups]
    found[largest] = top
    return found


def _by_word(words: IntArray, values: FloatArray, n_words: int) -> FloatArray:
    """The values of some words; 0 for the others."""
    found: FloatArray = np.zeros(n_words)
    found[words] = values
    return found


def _changes(values: Integers) -> npt.NDArray[np.bool_]:
    """Whether each value differs from the one before; True for the first."""
    found = np.ones(len(values), dtype=bool)
    found[1:] = values[1:] != values[:-1]
    return found
