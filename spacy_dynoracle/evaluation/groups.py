"""The scores of words in groups, such as those of a relation."""

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class GroupScores:
    """Precision, recall and F-score of a group of words, as fractions of 1: those of a
    relation, or of a distance to the head.

    A score without any words is 0. Head and label must be right, but for
    `unlabelled_recall`.

    Attributes:
        gold, predicted: The number of words that are in this group by the gold tree,
            and by that of the parser.
        correct, correct_heads: Of the words that are in it by the gold tree, those with
            the right head and label, and those with the right head.
    """

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    correct_heads: int = 0

    @property
    def precision(self) -> float:
        """The share of the predicted words that is right."""
        return ratio(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        """The share of the gold words that is right."""
        return ratio(self.correct, self.gold)

    @property
    def f_score(self) -> float:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.correct, self.gold + self.predicted)

    @property
    def unlabelled_recall(self) -> float:
        """The share of the gold words with the right head."""
        return ratio(self.correct_heads, self.gold)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("precision", "recall", "f_score", "unlabelled_recall")
        counts = {"gold": self.gold, "predicted": self.predicted}
        return counts | {name: getattr(self, name) for name in names}


class Groups(dict[str, GroupScores]):
    """The scores of words by the groups that they are in."""

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
            counts = self.setdefault(gold, GroupScores())
            counts.gold += 1
            counts.correct_heads += right_head
            counts.correct += right
        if predicted is not None:
            self.setdefault(predicted, GroupScores()).predicted += 1


def ratio(part: int, whole: int) -> float:
    """The share of a part; 0 of nothing."""
    return part / whole if whole else 0.0
