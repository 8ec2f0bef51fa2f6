"""Scores of texts whose words and sentences differ from those of the treebank.

The words must be aligned with those of the treebank. Definitions: CoNLL 2018 shared
task (Zeman et al. 2018, section 2.2), whose evaluation script is the standard for
Universal Dependencies:

* A token, sentence or word is right if it spans the right characters, whitespace aside.
  Words inside a multiword token have no characters of their own: where one side has
  multiword tokens, the longest common subsequence of the lower-case forms is aligned.
* Tags, features, lemmas, heads and labels are scored on aligned words; precision and
  recall divide by all words. A head is right if the word aligned with it is the gold
  head. Labels are compared up to ``:``. Of the features only those of Universal
  Dependencies count. A lemma is right if the gold one is unknown.
* AllTags compares UPOS, XPOS and features.
* CLAS is LAS on content words. These are chosen by their labels: function words,
  punctuation and labels outside Universal Dependencies are left out.
* MLAS is CLAS with UPOS and features, of the word and of its function words, whose
  labels must be right too. BLEX is CLAS with lemmas.

Two rules are not from the shared task. A word whose gold head is unknown counts only in
tokens, words and tags, and one whose gold label alone is unknown also in UAS. And what
a pipeline does not predict is not scored: see `score_set_values`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..treebank import TreebankSentence
from ..treebank.sentence import UNKNOWN
from ..treebank.writer import doc_sentences
from ..util.arrays import IntArray
from .alignment import align
from .attachment import Shares, ratio
from .texts import Span, Text, Word, check_text, difference, text_of

MEASURES = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
    "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip

# The relations of Universal Dependencies whose dependents are content words.
_CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod "  # noqa: SIM905
    "discourse nmod appos nummod acl amod conj fixed flat compound list parataxis "
    "orphan goeswith reparandum root dep".split()
)
# Measures of what was found; the others compare values of aligned words.
_FOUND = ("Tokens", "Sentences", "Words")
# The columns of a word that a measure compares, beside heads and labels.
_COLUMNS = {
    "UPOS": ("upos",),
    "XPOS": ("xpos",),
    "UFeats": ("feats",),
    "AllTags": ("upos", "xpos", "feats"),
    "Lemmas": ("lemma",),
    "MLAS": ("upos", "feats"),
    "BLEX": ("lemma",),
}


@dataclass(frozen=True, slots=True)
class TextScore(Shares):
    """Precision, recall and F1 on raw text, as fractions of 1.

    A score without anything to count is 0.

    Attributes:
        gold, predicted, correct: Numbers of tokens, sentences or words.
        aligned: Number of aligned words that are scored; None for the measures Tokens,
            Sentences and Words.
        counts: Numerator and denominator of F1, for each sentence of the treebank.
        interval: The 95 % interval of F1, if it was asked for.
    """

    gold: int
    predicted: int
    correct: int
    aligned: int | None
    counts: tuple[IntArray, IntArray] | None = field(
        default=None, repr=False, compare=False
    )
    interval: tuple[float, float] | None = None

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of the aligned words that is right; None if `aligned` is None."""
        return None if self.aligned is None else ratio(self.correct, self.aligned)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("precision", "recall", "f1", "interval", "aligned_accuracy")
        return {name: getattr(self, name) for name in names}


def score_docs(
    texts: Iterable[tuple[Sequence[TreebankSentence], Doc]],
) -> dict[str, TextScore]:
    """Score parsed texts together, each given by its gold sentences and its Doc.

    A multiword token at the border of two texts may be aligned across it.

    Raises:
        ValueError: If a Doc has other characters than its sentences, whitespace aside.
    """
    gold: list[TreebankSentence] = []
    predicted: list[TreebankSentence] = []
    for sentences, doc in texts:
        found = list(doc_sentences(doc))
        check_text(sentences, found)
        gold += sentences
        predicted += found
    return score_set_values(text_of(gold), text_of(predicted))


def score_set_values(gold: Text, predicted: Text) -> dict[str, TextScore]:
    """The scores of what a pipeline sets, by the names in MEASURES.

    A measure is left out if the pipeline sets no value of a column that it compares and
    the treebank has some, those of UPOS or lemmas if the treebank has none, and those
    of FEATS if it has no tags at all. If it has no XPOS, that of the pipeline does not
    count, since TAG stands for UPOS there, and XPOS is left out.
    """
    without_xpos = not _has(gold, "xpos")
    if without_xpos:
        for word in predicted.words:
            word.xpos = UNKNOWN
    missing = {
        column
        for column in ("upos", "xpos", "feats", "lemma")
        if _has(gold, column) and not _has(predicted, column)
    }
    missing |= {column for column in ("upos", "lemma") if not _has(gold, column)}
    if not any(_has(gold, column) for column in ("upos", "xpos", "feats")):
        missing.add("feats")
    return {
        measure: score
        for measure, score in score_texts(gold, predicted).items()
        if missing.isdisjoint(_COLUMNS.get(measure, ()))
        and not (without_xpos and measure == "XPOS")
    }


def _has(text: Text, column: str) -> bool:
    """Whether a word of a text has a value in a column."""
    return any(getattr(word, column) not in (UNKNOWN, "") for word in text.words)


def score_texts(gold: Text, predicted: Text) -> dict[str, TextScore]:
    """The scores of a text by the names in MEASURES.

    Raises:
        ValueError: If the texts differ in other characters than whitespace.
    """
    if gold.characters != predicted.characters:
        raise ValueError(difference(gold.characters, predicted.characters))
    scorer = _Scorer(gold, predicted)
    scores = {
        "Tokens": _span_score(gold, set(gold.tokens), set(predicted.tokens)),
        "Sentences": _span_score(gold, set(gold.sentences), set(predicted.sentences)),
    }
    for measure in MEASURES[2:]:
        scores[measure] = scorer.score(measure)
    return scores


def _span_score(gold: Text, expected: set[Span], found: set[Span]) -> TextScore:
    return _score(gold, expected, found, expected & found)


def _score(
    text: Text,
    gold: Iterable[Span],
    predicted: Iterable[Span],
    correct: Iterable[Span],
    aligned: int | None = None,
) -> TextScore:
    """A score of spans, which belong to the gold sentence that they begin in."""
    starts = [start for start, _ in text.sentences]
    in_gold, in_predicted, right = (
        np.bincount(
            np.searchsorted(starts, [start for start, _ in spans], side="right") - 1,
            minlength=len(starts),
        )
        for spans in (gold, predicted, correct)
    )
    return TextScore(
        int(in_gold.sum()),
        int(in_predicted.sum()),
        int(right.sum()),
        aligned,
        (2 * right, in_gold + in_predicted),
    )


class _Scorer:
    """Scores the words of two texts with the same characters."""

    def __init__(self, gold: Text, predicted: Text) -> None:
        self.text = gold
        self.gold = gold.words
        self.predicted = predicted.words
        self.pairs = align(gold.words, predicted.words)
        self.gold_of = {p: g for g, p in self.pairs}
        self.predicted_of = dict(self.pairs)
        # A word with an unknown head is not scored in the tree, one with an unknown
        # label by its head alone.
        self.unknown = {i for i, word in enumerate(self.gold) if word.head is None}
        self.unlabelled = self.unknown | {
            i for i, word in enumerate(self.gold) if word.deprel is None
        }

    def score(self, measure: str) -> TextScore:
        is_right: Callable[[int, int], bool] = {
            "Words": lambda g, p: True,
            "Lemmas": self._same_lemma,
            "UAS": self._same_head,
            "LAS": self._same_arc,
            "CLAS": self._same_arc,
            "MLAS": self._same_tagged_arc,
            "BLEX": lambda g, p: self._same_arc(g, p) and self._same_lemma(g, p),
        }.get(measure) or self._same_columns(_COLUMNS.get(measure, ()))
        of_trees = measure in ("UAS", "LAS", "CLAS", "MLAS", "BLEX")
        of_content = measure in ("CLAS", "MLAS", "BLEX")

        def counts(word: Word) -> bool:
            return not of_content or word.label in _CONTENT

        unknown = self.unknown if measure == "UAS" else self.unlabelled
        unknown = unknown if of_trees else set()
        ignored = {self.predicted_of.get(i) for i in unknown}
        scored = [
            (g, p) for g, p in self.pairs if g not in unknown and counts(self.gold[g])
        ]
        return _score(
            self.text,
            [w.span for i, w in enumerate(self.gold) if i not in unknown and counts(w)],
            [
                w.span
                for i, w in enumerate(self.predicted)
                if i not in ignored and counts(w)
            ],
            [self.gold[g].span for g, p in scored if is_right(g, p)],
            None if measure in _FOUND else len(scored),
        )

    def _same_columns(self, columns: Sequence[str]) -> Callable[[int, int], bool]:
        def same(g: int, p: int) -> bool:
            gold, predicted = self.gold[g], self.predicted[p]
            return all(getattr(gold, c) == getattr(predicted, c) for c in columns)

        return same

    def _same_lemma(self, g: int, p: int) -> bool:
        lemma = self.gold[g].lemma
        return lemma in (UNKNOWN, self.predicted[p].lemma)

    def _same_head(self, g: int, p: int) -> bool:
        head = self.predicted[p].head
        found = head if head in (-1, None) else self.gold_of.get(head)
        return found == self.gold[g].head

    def _same_arc(self, g: int, p: int) -> bool:
        return self._same_head(g, p) and self.gold[g].label == self.predicted[p].label

    def _same_tagged_arc(self, g: int, p: int) -> bool:
        return (
            self._same_arc(g, p)
            and self._tags(self.gold[g]) == self._tags(self.predicted[p])
            and list(self._functions(self.gold, g, lambda i: i))
            == list(self._functions(self.predicted, p, self.gold_of.get))
        )

    def _functions(
        self, words: list[Word], i: int, in_gold: Callable[[int], int | None]
    ) -> Iterator[tuple[Any, ...]]:
        """The function words of a word: index in the gold text, label and tags. Those
        whose gold head or label is unknown do not count.
        """
        for j in words[i].function_words:
            if words is self.predicted and self.gold_of.get(j) in self.unlabelled:
                continue
            yield (in_gold(j), words[j].label, *self._tags(words[j]))

    def _tags(self, word: Word) -> tuple[str, str]:
        return word.upos, word.feats
