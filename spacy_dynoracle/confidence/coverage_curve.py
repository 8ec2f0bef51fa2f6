"""Whether what is uncertain is what is wrong: certainty as a ranking of items.

Items of equal certainty are in no order: every number here is its mean over all orders
of theirs.
"""

from __future__ import annotations

import numpy as np

from ..util.arrays import BoolArray, FloatArray


class Ranking:
    """Items from the most certain to the least.

    certainty: of each item, in any unit. correct: whether it is; one of each.
    """

    def __init__(self, certainty: FloatArray, correct: BoolArray) -> None:
        # Groups of equals, the most certain first.
        groups, number = np.unique(-certainty, return_inverse=True)
        self.thresholds: FloatArray = -groups
        size = np.bincount(number, minlength=len(groups))
        hits = np.bincount(number, weights=correct, minlength=len(groups))
        # Of the items as certain as each threshold or more.
        self.kept = np.cumsum(size)
        self.correct = np.cumsum(hits)
        self.count = len(certainty)

    def accuracy_of(self, share: float) -> float:
        """The share of correct ones among that share of the items, the most certain."""
        wanted = share * self.count
        return self._correct_among(wanted) / wanted if wanted else 0.0

    def at_least(self, threshold: float) -> tuple[float, float]:
        """(coverage, accuracy): the share of the items that are at least so certain,
        and the share of correct ones among them."""
        groups = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        if groups == 0:
            return 0.0, 0.0
        kept = self.kept[groups - 1]
        return kept / self.count, self.correct[groups - 1] / kept

    def errors_of(self, share: float) -> tuple[float, float]:
        """Of that share of the items, the least certain: (the share of wrong ones among
        them, the share of all wrong ones that they are)."""
        if not self.count:
            return 0.0, 0.0
        looked_at = share * self.count
        right = self.correct[-1] - self._correct_among(self.count - looked_at)
        wrong = looked_at - right
        n_errors = self.count - self.correct[-1]
        return (
            wrong / looked_at if looked_at else 0.0,
            wrong / n_errors if n_errors else 0.0,
        )

    def area(self) -> float:
        """The area under the ROC curve: the probability that a correct item is more
        certain than a wrong one. 0.5 is chance, and where all are correct or none.
        """
        n_correct = self.correct[-1] if self.count else 0
        n_wrong = self.count - n_correct
        if not n_correct or not n_wrong:
            return 0.5
        correct = np.diff(self.correct, prepend=0)
        wrong = np.diff(self.kept, prepend=0) - correct
        below = n_wrong - np.cumsum(wrong)
        return float(np.sum(correct * (below + wrong / 2)) / (n_correct * n_wrong))

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """(coverage, accuracy) at every threshold."""
        return self.kept / self.count, self.correct / self.kept

    def _correct_among(self, wanted: float) -> float:
        """How many of so many items are correct, the most certain first."""
        if not self.count:
            return 0.0
        return float(np.interp(wanted, np.r_[0, self.kept], np.r_[0.0, self.correct]))
