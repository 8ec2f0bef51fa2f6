"""The arcs that the members of a committee voted for, and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..util.arrays import BoolArray, FloatArray, IdArray, IntArray
from .calibration import VoteCalibration


@dataclass(frozen=True)
class Votes:
    """The votes of all members for the arcs of some words.

    All arrays have the shape (n members, n words).

    heads: offsets of the heads. labels: ids of the labels.
    """

    heads: IntArray
    labels: IdArray

    @classmethod
    def of(cls, tables: Sequence[IdArray], words: IntArray) -> Votes:
        """The votes for some tokens.

        tables: for each member heads and labels of all tokens; see
        `spacy_dynoracle.committee.voting`. words: the numbers of the tokens.
        """
        stacked = np.stack(tables)[:, words]
        return cls(stacked[:, :, 0].view(np.int64), stacked[:, :, 1])

    @property
    def n_members(self) -> int:
        """The number of members."""
        return len(self.heads)

    @cached_property
    def same_head(self) -> BoolArray:
        """Of shape (n members, n members, n words): whether two members agree about
        the head."""
        found: BoolArray = self.heads[:, np.newaxis] == self.heads
        return found

    @cached_property
    def same_arc(self) -> BoolArray:
        """As `same_head`, about the head and the label."""
        found: BoolArray = self.same_head & (self.labels[:, np.newaxis] == self.labels)
        return found

    @cached_property
    def head_votes(self) -> IntArray:
        """How many members have the head that this member has."""
        found: IntArray = self.same_head.sum(axis=1)
        return found

    @cached_property
    def arc_votes(self) -> IntArray:
        """How many members have the head and the label that this member has."""
        found: IntArray = self.same_arc.sum(axis=1)
        return found

    @cached_property
    def first_head(self) -> BoolArray:
        """Whether no earlier member has the same head, so that each head counts
        once."""
        return _first(self.same_head)

    @cached_property
    def first_arc(self) -> BoolArray:
        """As `first_head`, for heads with labels."""
        return _first(self.same_arc)

    def probabilities(
        self, calibration: VoteCalibration | None
    ) -> tuple[FloatArray, FloatArray]:
        """The probabilities of the head, and of the head with its label, that each
        member has.

        calibration: says how often arcs with so many votes are right; None for the
        shares of the votes. The probabilities of the heads of a word add up to at most
        1, and those of the labels of a head to at most that of the head.
        """
        if calibration is None:
            return self.head_votes / self.n_members, self.arc_votes / self.n_members
        heads = calibration.heads[self.head_votes]
        heads /= np.maximum(1, (heads * self.first_head).sum(axis=0))
        labels = calibration.labels[self.head_votes, self.arc_votes]
        sums = (self.same_head * (labels * self.first_arc)).sum(axis=1)
        labels /= np.maximum(1, sums)
        return heads, heads * labels


def _first(same: BoolArray) -> BoolArray:
    """Whether no earlier member agrees with a member."""
    members = np.arange(len(same))[:, np.newaxis]
    found: BoolArray = np.argmax(same, axis=1) == members
    return found
