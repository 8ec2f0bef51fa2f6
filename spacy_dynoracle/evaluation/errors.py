"""Error analysis: where a parser is wrong, by label, distance, length and tag.

The groups by distance and by length are those that McDonald & Nivre (2007) look at.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ..treebank import TreebankSentence
from ..treebank.text import sentence_text
from .attachment import Shares, comparable, ratio, scored_words

# What errors are grouped by.
GROUPS = ("label", "distance", "length", "pos")
# The last group of distances and of lengths has no end.
_DISTANCES = ((1, 1), (2, 2), (3, 6), (7, None))
_LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, None))
_ROOT = "root"
# The head of a word is not a word of its sentence.
OUTSIDE = -1


@dataclass(slots=True)
class GroupScores(Shares):
    """Precision, recall and F-score of a group of words, as fractions of 1: those of a
    relation, or of a distance to the head.

    A score without any words is 0. Head and label must be right, but for
    `unlabelled_recall`.

    Attributes:
        gold, predicted: The number of words of the treebank that are in this group by
            the gold tree, and by that of the parser.
        correct, correct_heads: Of the words that are in it by the gold tree, those with
            the right head and label, and those with the right head.
    """

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    correct_heads: int = 0

    f_score = Shares.f1

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


class Confusion(NamedTuple):
    """How many words have one label in the treebank and another one from the parser.

    Attributes:
        share: Of all words with the gold label.
    """

    gold: str
    predicted: str
    words: int
    share: float


@dataclass(frozen=True, slots=True)
class WordError:
    """A word with a wrong head or label.

    Attributes:
        id: Number of the word in its sentence, from 1.
        gold_head, head: Numbers of words; 0 is the root, -1 a word outside of the
            sentence, and None is unknown.
    """

    id: int
    form: str
    gold_head: int | None
    gold_label: str | None
    head: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class SentenceErrors:
    """The errors in a sentence.

    Attributes:
        sentence: Its sent_id, or ``#`` and its number.
        words: Scored words.
        wrong_heads: Number of wrong heads.
        errors: Words with a wrong head or label.
    """

    sentence: str
    text: str
    words: int
    wrong_heads: int
    errors: tuple[WordError, ...]


class ErrorAnalysis:
    """The errors of a parser on a treebank.

    A word without a counterpart in the parser's words has neither head nor label, and
    counts as wrong.

    Args:
        scored: The definition of scored words, a key of SCORED_WORDS.
    """

    def __init__(self, scored: str = "all") -> None:
        self.scored = scored
        self._is_scored = scored_words(scored)
        self._groups = {group: Groups() for group in GROUPS}
        self._labels: Counter[str] = Counter()
        self._confusion: Counter[tuple[str, str]] = Counter()
        self._sentences: list[SentenceErrors] = []

    def add(
        self,
        sentence: TreebankSentence,
        heads: Sequence[int | None],
        labels: Sequence[str | None],
    ) -> None:
        """Add a sentence, given the predicted heads and labels of its words."""
        length = _bin(len(sentence.words), _LENGTHS)
        errors = []
        words = wrong_heads = 0
        for i, word in enumerate(sentence.words, 1):
            if word.head is None or not self._is_scored(word):
                continue
            head, label = heads[i - 1], labels[i - 1]
            words += 1
            right_head = head == word.head
            wanted, found = _label(word.deprel), _label(label)
            # An unknown gold label cannot be missed.
            right = right_head and wanted in (None, found)
            wrong_heads += not right_head
            if not right:
                errors.append(WordError(i, word.form, word.head, wanted, head, found))
            if wanted is not None:
                self._labels[wanted] += 1
                if found not in (None, wanted):
                    self._confusion[wanted, found] += 1
            values = {
                "label": (wanted, None if wanted is None else found),
                "distance": (_distance(i, word.head), _distance(i, head)),
                "length": (length, length),
                "pos": (word.upos, word.upos),
            }
            for group, (gold, predicted) in values.items():
                self._groups[group].count(gold, predicted, right_head, right)
        if errors:
            self._sentences.append(
                SentenceErrors(
                    sentence.name,
                    sentence.text or sentence_text(sentence),
                    words,
                    wrong_heads,
                    tuple(errors),
                )
            )

    def by(self, group: str) -> dict[str, GroupScores]:
        """The scores of the words of each group.

        Recall is the attachment score of the words that are in the group by the
        treebank; precision is that of the words that are in it by the parser, of those
        that the treebank has as well. Labels and tags are sorted by frequency.

        Args:
            group: ``label``, ``distance`` (between word and head, ``root`` for words
                under the root), ``length`` (words of the sentence) or ``pos`` (gold
                UPOS).

        Raises:
            ValueError: For other groups.
        """
        if group not in self._groups:
            raise ValueError(f"no errors by {group!r}: expected {', '.join(GROUPS)}")
        counts = self._groups[group]
        orders: dict[str, Callable[[str], Any]] = {
            "distance": [_ROOT, *map(_name, _DISTANCES)].index,
            "length": list(map(_name, _LENGTHS)).index,
        }
        order = orders.get(group, lambda name: (-counts[name].gold, name))
        return {name: counts[name] for name in sorted(counts, key=order)}

    def confusion(self) -> list[Confusion]:
        """The labels that are taken for one another, the most frequent first."""
        ordered = sorted(self._confusion.items(), key=lambda item: (-item[1], item[0]))
        return [
            Confusion(gold, predicted, n, n / self._labels[gold])
            for (gold, predicted), n in ordered
        ]

    def worst(self, n: int) -> list[SentenceErrors]:
        """The sentences with most errors; of equal ones the shortest comes first."""
        return sorted(self._sentences, key=lambda s: (-len(s.errors), s.words))[:n]

    def as_dict(
        self, by: Sequence[str] = GROUPS, confusion: bool = True, worst: int = 10
    ) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        values: dict[str, Any] = {"scored": self.scored}
        if by:
            values["by"] = {
                group: {name: each.as_dict() for name, each in self.by(group).items()}
                for group in by
            }
        if confusion:
            values["confusion"] = [each._asdict() for each in self.confusion()]
        if worst:
            values["worst"] = [asdict(each) for each in self.worst(worst)]
        return values


def _label(label: str | None) -> str | None:
    return None if label is None else comparable(label)


def _distance(word: int, head: int | None) -> str | None:
    """The group of the distance to the head; None for a head that is unknown or outside
    of the sentence.
    """
    if head is None or head == OUTSIDE:
        return None
    return _ROOT if head == 0 else _bin(abs(word - head), _DISTANCES)


def _bin(number: int, bins: Sequence[tuple[int, int | None]]) -> str:
    return next(_name(b) for b in reversed(bins) if number >= b[0])


def _name(limits: tuple[int, int | None]) -> str:
    first, last = limits
    if last is None:
        return f"{first} and more"
    return str(first) if first == last else f"{first}-{last}"
