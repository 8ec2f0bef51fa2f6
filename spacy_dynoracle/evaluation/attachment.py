"""Attachment scores of parsed sentences against a treebank.

Definitions: UAS and LAS as in Goldberg & Nivre 2013 (footnote 4), micro-averaged over
all words. Every paper has its own rule for punctuation, so a score is always named
together with the words that it counts; see SCORED_WORDS.

Words with an unknown gold head are not scored. Words with a known head and an unknown
gold label count for UAS only. The artificial root can be a head, but it is not a scored
word. Heads are positions counted from 1; 0 is the root and None is unknown.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ..core.state.projectivity import SEPARATOR
from ..treebank import TreebankWord
from ..treebank.sentence import UNKNOWN
from ..util.arrays import IntArray

DEFAULT_EXCLUSION = "ud"

# The scores: what is right, and what is counted.
_RATIOS = {
    "uas": ("heads", "words"),
    "las": ("correct", "labelled"),
    "las_base": ("correct_base", "labelled"),
    "label_accuracy": ("labels", "labelled"),
    "root_accuracy": ("roots", "rooted"),
    "exact_unlabelled": ("exact", "matchable"),
    "exact_labelled": ("exact_labelled", "matchable"),
}

ScoredWord = Callable[[TreebankWord], bool]

# CoNLL-X part of speech tags of punctuation in the two Penn treebanks.
_PTB_PUNCTUATION = frozenset(["``", "''", ",", ".", ":"])
_CTB_PUNCTUATION = "PU"
_FIRST_CHARACTERS = frozenset(",.-;:'\"!?`{}()[]")


def _every_word(word: TreebankWord) -> bool:
    """Every word (Goldberg & Nivre 2013, 2014; CoNLL-2007)."""
    return True


def _no_ud_punctuation(word: TreebankWord) -> bool:
    """No word with the gold UPOS PUNCT or the gold label punct."""
    label = (word.deprel or "").partition(":")[0]
    return word.upos != "PUNCT" and label.lower() != "punct"


def _no_unicode_punctuation(word: TreebankWord) -> bool:
    """No word all of whose characters are Unicode punctuation (CoNLL-X)."""
    return not all(unicodedata.category(char)[0] == "P" for char in word.form)


def _no_first_character(word: TreebankWord) -> bool:
    """No word that begins with an ASCII punctuation mark of a fixed list.

    The programs that Goldberg & Nivre released in 2013 do this.
    """
    return word.form[:1] not in _FIRST_CHARACTERS


def _no_ptb_punctuation(word: TreebankWord) -> bool:
    """No word with one of five gold tags (Chen & Manning 2014)."""
    return _tag(word) not in _PTB_PUNCTUATION


def _no_ctb_punctuation(word: TreebankWord) -> bool:
    """No word with the gold tag PU (Penn Chinese Treebank)."""
    return _tag(word) != _CTB_PUNCTUATION


def _no_spacy_punctuation(word: TreebankWord) -> bool:
    """No word with the gold label p or punct (spaCy's own scorer).

    ``p`` is the label of the Google Universal Dependency Treebank.
    """
    return (word.deprel or "").lower() not in ("p", "punct")


def _tag(word: TreebankWord) -> str:
    return word.upos if word.xpos == UNKNOWN else word.xpos


# The definitions of scored words, by name.
SCORED_WORDS: Mapping[str, ScoredWord] = MappingProxyType(
    {
        "all": _every_word,
        "ud": _no_ud_punctuation,
        "unicode": _no_unicode_punctuation,
        "first-char": _no_first_character,
        "ptb": _no_ptb_punctuation,
        "ctb": _no_ctb_punctuation,
        "spacy": _no_spacy_punctuation,
    }
)


def scored_words(name: str) -> ScoredWord:
    """The definition of scored words with a name.

    Raises:
        ValueError: For other names.
    """
    predicate = SCORED_WORDS.get(name)
    if predicate is None:
        raise ValueError(
            f"no definition of scored words is called {name!r}; "
            f"expected one of {', '.join(SCORED_WORDS)}"
        )
    return predicate


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a corpus under one definition of scored words, as fractions of 1.

    A score without anything to count is 0.

    Attributes:
        scored: Name of the definition, a key of SCORED_WORDS.
        sentences: Number of sentences.
        words: Scored words with a known gold head, the denominator of uas.
        labelled_words: Those with a known gold label too, the denominator of las,
            las_base and label_accuracy.
        uas, las: Unlabelled and labelled attachment score.
        las_base: LAS with labels compared up to ``:``, as in official scores of
            Universal Dependencies.
        label_accuracy: Share of words with the right label.
        root_accuracy: Share of sentences with the right set of root dependents,
            whatever words are scored.
        exact_unlabelled, exact_labelled: Share of sentences without an error in a
            scored word.
        intervals: The 95 % intervals of the scores, if they were asked for.
        counts: Numerator and denominator of each score, for each sentence.
    """

    scored: str
    sentences: int
    words: int
    labelled_words: int
    uas: float
    las: float
    las_base: float
    label_accuracy: float
    root_accuracy: float
    exact_unlabelled: float
    exact_labelled: float
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    counts: Mapping[str, tuple[IntArray, IntArray]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        values = asdict(replace(self, counts={}))
        del values["counts"]
        return values


class Evaluation:
    """Collects the scores of a corpus under one definition of scored words.

    Args:
        scored: A key of SCORED_WORDS.

    Raises:
        ValueError: For other names.
    """

    def __init__(self, scored: str = "all") -> None:
        self.scored = scored
        self._is_scored = scored_words(scored)
        # The counts of each sentence.
        self._sentences: list[Counter[str]] = []

    def add(
        self,
        gold: Sequence[TreebankWord],
        heads: Sequence[int | None],
        labels: Sequence[str | None],
    ) -> None:
        """Score a sentence, given the predicted heads and labels of its words.

        A head or label of None was not predicted and counts as wrong.

        Raises:
            ValueError: If the lengths differ, or for a label of the pseudo-projective
                transformation (``a||b``), which must be undone before scoring.
        """
        if not len(gold) == len(heads) == len(labels):
            raise ValueError(
                f"{len(gold)} gold words, {len(heads)} predicted heads and "
                f"{len(labels)} predicted labels; expected one each per gold word"
            )
        for label in labels:
            if label is not None and SEPARATOR in label:
                raise ValueError(
                    f"predicted label {label!r} is a decorated one; undo the "
                    "pseudo-projective transformation before scoring"
                )
        rows = zip(gold, heads, labels, strict=True)
        known = [row for row in rows if row[0].head is not None]
        n: Counter[str] = Counter()
        if known:
            n["rooted"] = 1
            n["roots"] = all((word.head == 0) == (head == 0) for word, head, _ in known)
        for word, head, label in known:
            if not self._is_scored(word):
                continue
            has_head = head == word.head
            n["words"] += 1
            n["heads"] += has_head
            if word.deprel is None:
                continue
            wanted, found = comparable(word.deprel), label and comparable(label)
            n["labelled"] += 1
            n["labels"] += wanted == found
            n["correct"] += has_head and wanted == found
            has_base = found is not None and _base(wanted) == _base(found)
            n["correct_base"] += has_head and has_base
        if n["words"]:
            n["matchable"] = 1
            n["exact"] = n["heads"] == n["words"]
            n["exact_labelled"] = n["exact"] and n["correct"] == n["labelled"]
        self._sentences.append(n)

    def scores(self) -> Scores:
        """The scores of all sentences added so far."""
        by_sentence = {
            name: np.array([each[name] for each in self._sentences], dtype=np.int64)
            for pair in _RATIOS.values()
            for name in pair
        }
        n = {name: int(counts.sum()) for name, counts in by_sentence.items()}
        shares: dict[str, Any] = {
            score: ratio(n[part], n[whole]) for score, (part, whole) in _RATIOS.items()
        }
        return Scores(
            scored=self.scored,
            sentences=len(self._sentences),
            words=n["words"],
            labelled_words=n["labelled"],
            counts={
                score: (by_sentence[part], by_sentence[whole])
                for score, (part, whole) in _RATIOS.items()
            },
            **shares,
        )


def evaluate_sentences(
    sentences: Iterable[
        tuple[Sequence[TreebankWord], Sequence[int | None], Sequence[str | None]]
    ],
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
) -> dict[str, Scores]:
    """Score parsed sentences under several definitions of scored words.

    Args:
        sentences: For each sentence the words of the treebank, the predicted heads and
            the predicted labels. Heads are counted from 1; 0 is the root.
        scored: Keys of SCORED_WORDS.

    Returns:
        The scores by definition.

    Raises:
        ValueError: For other names, for sentences of other lengths, and for labels of
            the pseudo-projective transformation (``a||b``), which must be undone before
            scoring.
    """
    evaluations = {name: Evaluation(name) for name in scored}
    for gold, heads, labels in sentences:
        for evaluation in evaluations.values():
            evaluation.add(gold, heads, labels)
    return {name: evaluation.scores() for name, evaluation in evaluations.items()}


def ratio(part: int, whole: int) -> float:
    """The share of a part; 0 of nothing."""
    return part / whole if whole else 0.0


class Shares:
    """Precision, recall and F1 of numbers of what is right, by the treebank and by the
    parser.
    """

    __slots__ = ()
    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of the predictions that is right."""
        return ratio(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        """The share of the gold values that was found."""
        return ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return ratio(2 * self.correct, self.gold + self.predicted)


def comparable(label: str) -> str:
    """The form of a label that is compared."""
    # spaCy writes ROOT for root; the case of other labels matters.
    return "root" if label.lower() == "root" else label


def _base(label: str) -> str:
    return label.partition(":")[0]
