"""Whether uncertain items are the wrong ones: certainty as a ranking of items.

Items of equal certainty have no order: every number here is the mean over all orders of
such items.
"""

import numpy as np

from ..util.arrays import BoolArray, FloatArray


class CertaintyRanking:
    """Items from the most certain to the least.

    Args:
        certainty: Certainty of each item, in any unit.
        correct: Whether each item is right.
    """

    def __init__(self, certainty: FloatArray, correct: BoolArray) -> None:
        # Groups of equals, the most certain first.
        groups, number = np.unique(-certainty, return_inverse=True)
        self.thresholds: FloatArray = -groups
        size = np.bincount(number, minlength=len(groups))
        hits = np.bincount(number, weights=correct, minlength=len(groups))
        # Numbers of items that are as certain as each threshold, or more.
        self.kept = np.cumsum(size)
        self.correct = np.cumsum(hits)
        self.count = len(certainty)

    def accuracy_of(self, share: float) -> float:
        """The share of correct items among the most certain ones.

        Args:
            share: The share of all items to look at.
        """
        wanted = share * self.count
        return self._correct_among(wanted) / wanted if wanted else 0.0

    def at_least(self, threshold: float) -> tuple[float, float]:
        """(coverage, accuracy): the share of the items that are at least so certain,
        and the share of correct items among them.
        """
        groups = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        if groups == 0:
            return 0.0, 0.0
        kept = self.kept[groups - 1]
        return kept / self.count, self.correct[groups - 1] / kept

    def errors_of(self, share: float) -> tuple[float, float]:
        """Errors among the least certain items: (share of these items that are wrong,
        share of all wrong items that are among them).

        Args:
            share: The share of all items to look at.
        """
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

    def _correct_among(self, wanted: float) -> float:
        """The number of correct items among so many of the most certain ones."""
        if not self.count:
            return 0.0
        return float(np.interp(wanted, np.r_[0, self.kept], np.r_[0.0, self.correct]))
