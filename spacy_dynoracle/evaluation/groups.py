"""The scores of words in groups, such as those of a relation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Precision, recall and F-score of a group of words, as fractions of 1: those of a
    relation, or of a distance to the head.

    A score without any words is 0.

    Attributes:
        gold, predicted: The number of words that are in this group by the gold tree,
            and by that of the parser.
        precision, recall, f_score: Head and label must be right.
        unlabelled_precision, unlabelled_recall, unlabelled_f_score: The head must be
            right.
    """

    gold: int
    predicted: int
    precision: float
    recall: float
    f_score: float
    unlabelled_precision: float
    unlabelled_recall: float
    unlabelled_f_score: float


@dataclass(slots=True)
class GroupCounts:
    """Counts words of a group, from which `scores` makes their scores."""

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    gold_head: int = 0
    predicted_head: int = 0

    def scores(self) -> GroupScores:
        """The scores of the words counted so far."""
        precision = ratio(self.correct, self.predicted)
        recall = ratio(self.correct, self.gold)
        head_precision = ratio(self.predicted_head, self.predicted)
        head_recall = ratio(self.gold_head, self.gold)
        return GroupScores(
            self.gold,
            self.predicted,
            precision,
            recall,
            _f_score(precision, recall),
            head_precision,
            head_recall,
            _f_score(head_precision, head_recall),
        )


class Groups(dict[str, GroupCounts]):
    """The counts of words by the groups that they are in."""

    def count(
        self, gold: str | None, predicted: str | None, right_head: bool, right: bool
    ) -> None:
        """Count a word.

        Args:
            gold, predicted: Its group by the gold tree and by that of the parser; None
                if it is in none.
            right_head, right: Whether its head, and its head with the label, are right.
        """
        if gold is not None:
            counts = self.setdefault(gold, GroupCounts())
            counts.gold += 1
            counts.gold_head += right_head
            counts.correct += right
        if predicted is not None:
            counts = self.setdefault(predicted, GroupCounts())
            counts.predicted += 1
            counts.predicted_head += right_head


def ratio(part: int, whole: int) -> float:
    """The share of a part; 0 of nothing."""
    return part / whole if whole else 0.0


def _f_score(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0
