"""How often arcs are right for which so many members of a committee voted.

The share of the votes is not the probability of an arc: all members may be wrong. On
held-out data one can count how many of the heads with k votes are right, and how many
of the labels with j votes among the k of a right head. Both shares are estimated with
one more observation, which is right with the share of the votes, so that a number of
votes that does not occur keeps that share. They do not fall with more votes: where they
would, numbers of votes are pooled.

Source of the pooling (isotonic regression): Ayer et al. 1955; of probabilities by
pooling: Zadrozny & Elkan 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..util.arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from .votes import Votes

# Digits that are saved, which no held-out file is large enough for.
DIGITS = 6


@dataclass(frozen=True, eq=False)
class VoteCalibration:
    """The probabilities of arcs by the numbers of their votes, for n members.

    heads: of shape (n + 1), the probability of a head with so many votes. labels: of
    shape (n + 1, n + 1), [votes of the head, votes of the head with the label], the
    probability of the label, given that the head is right.
    """

    heads: FloatArray
    labels: FloatArray

    @property
    def n_members(self) -> int:
        """The number of members."""
        return len(self.heads) - 1

    @classmethod
    def fit(
        cls,
        votes: Votes,
        head_right: BoolArray,
        label_right: BoolArray,
        known: BoolArray,
    ) -> VoteCalibration:
        """Count on held-out data.

        head_right, label_right: whether the head, and the label, of each member is
        right; of shape (n members, n words). known: whether the gold head, and the gold
        label, of a word is known; of shape (2, n words).

        Raises ValueError if no gold head is known.
        """
        n = votes.n_members
        if not known[0].any():
            raise ValueError("it has no gold head")
        counted = votes.first_head & known[0]
        right, count = np.zeros((2, n + 1))
        np.add.at(count, votes.head_votes[counted], 1)
        np.add.at(right, votes.head_votes[counted & head_right], 1)
        heads = _increasing(right, count)

        counted = votes.first_arc & head_right & known.all(axis=0)
        rights, counts = np.zeros((2, n + 1, n + 1))
        places = np.stack([votes.head_votes, votes.arc_votes])
        np.add.at(counts, tuple(places[:, counted]), 1)
        np.add.at(rights, tuple(places[:, counted & label_right]), 1)
        labels = np.zeros((n + 1, n + 1))
        for k in range(1, n + 1):
            labels[k, : k + 1] = _increasing(rights[k, : k + 1], counts[k, : k + 1])
        return cls(heads.round(DIGITS), labels.round(DIGITS))

    # ---- saving ----------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"heads": self.heads.tolist(), "labels": self.labels.tolist()}

    @classmethod
    def from_dict(cls, values: Any, n_members: int) -> VoteCalibration:
        """The calibration with these values. Raises ValueError unless they are the
        probabilities of a committee with so many members."""
        size = n_members + 1
        arrays = []
        for name, shape in (("heads", (size,)), ("labels", (size, size))):
            try:
                array = np.array(values[name], dtype=np.float64)
            except (LookupError, TypeError, ValueError) as error:
                raise ValueError(f"calibration.{name}: expected numbers") from error
            # NaN fails this test, too.
            if array.shape != shape or not np.all((array >= 0) & (array <= 1)):
                raise ValueError(
                    f"calibration.{name}: expected {' x '.join(map(str, shape))} "
                    f"numbers from 0 to 1"
                )
            arrays.append(array)
        return cls(*arrays)


def _increasing(right: FloatArray, count: FloatArray) -> FloatArray:
    """The shares of right items by the number of votes, which do not fall.

    right, count: for 0 to k votes the numbers of right items and of all items. The
    result for 0 votes is 0. It is the isotonic regression, by its min-max formula,
    which needs no clever order for so few numbers.
    """
    k = len(count) - 1
    items = count[1:] + 1
    hits = right[1:] + np.arange(1, k + 1) / k

    def mean(first: int, last: int) -> float:
        """The share of all numbers of votes from the first to the last."""
        return float(hits[first : last + 1].sum() / items[first : last + 1].sum())

    found = [
        max(min(mean(i, j) for j in range(at, k)) for i in range(at + 1))
        for at in range(k)
    ]
    return np.array([0.0, *found])
