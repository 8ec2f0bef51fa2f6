"""The scorer of the component.

`dep_uas`, `dep_las` and `sents_*` follow the conventions of spaCy: labels in lower
case, without punctuation. They are counted document by document, so that partial
annotation of one document does not change the scores of the next. `dep_uas_all` and
`dep_las_all` count all words and can be compared with papers. Whitespace tokens change
no score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spacy.scorer import PRFScore, Scorer
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from ..doc.alignment import WordAlignment, same_tokens
from ..doc.reference import UNKNOWN, ReferenceArrays

IGNORED_LABELS = ("p", "punct")
Arc = tuple[int, int, str]
WordsOf = Callable[[int], list[int]]


class AttachmentScore:
    """Precision and recall of arcs, over all examples that were added.

    Args:
        ignored: Labels, in lower case, that are not scored. Words whose label is
            unknown could have one of these labels, so they are not scored either.
    """

    def __init__(self, ignored: tuple[str, ...] = ()) -> None:
        self.ignored = ignored
        self.unlabelled = PRFScore()
        self.labelled = PRFScore()
        self.per_label: dict[str, PRFScore] = defaultdict(PRFScore)

    def add(self, gold: list[Arc], found: list[Arc], words_of: WordsOf) -> None:
        """Count one example, by its arcs as `_arcs` gives them.

        Words whose gold head is unknown are not scored. Words whose gold label alone is
        unknown count only for the unlabelled score.

        Args:
            words_of: All gold words that share characters with a predicted token.
        """
        gold_heads: set[tuple[int, int]] = set()
        gold_arcs: set[Arc] = set()
        # The words with a known head, and those that also have a known label.
        with_head, with_label = set(), set()
        for token, head, label in gold:
            if head == UNKNOWN or (self.ignored and not label):
                continue
            with_head.add(token)
            if label:
                with_label.add(token)
            if label not in self.ignored:
                gold_heads.add((token, head))
                if label:
                    gold_arcs.add((token, head, label))
        heads: set[tuple[int, int]] = set()
        arcs: set[Arc] = set()
        for token, head, label in found:
            if label in self.ignored:
                continue
            words = words_of(token)
            above = words_of(token if head == UNKNOWN else head)
            # An arc can be right only if each of its tokens has exactly one gold word.
            is_one = len(words) == len(above) == 1
            if not with_head.isdisjoint(words):
                if is_one:
                    heads.add((words[0], above[0]))
                else:
                    self.unlabelled.fp += 1
            if not with_label.isdisjoint(words):
                if is_one:
                    arcs.add((words[0], above[0], label))
                else:
                    self.labelled.fp += 1
        self.unlabelled.score_set(heads, gold_heads)
        self.labelled.score_set(arcs, gold_arcs)
        for label in {arc[2] for arc in arcs | gold_arcs}:
            self.per_label[label].score_set(
                {arc for arc in arcs if arc[2] == label},
                {arc for arc in gold_arcs if arc[2] == label},
            )


def _words_of(example: Example) -> WordsOf:
    """All gold words that share characters with a predicted token."""
    if same_tokens(example):
        return lambda token: [token]
    return WordAlignment(example).to_gold.__getitem__


def _arcs(doc: Doc) -> list[Arc]:
    """The token, the head and the label in lower case of each word.

    `ReferenceArrays` reads them, because spaCy shows no head of tokens without a label.
    """
    arrays = ReferenceArrays(doc)
    strings = doc.vocab.strings
    names = {label: strings[label].lower() for label in set(arrays.labels.tolist())}
    columns = (arrays.heads, arrays.labels, arrays.is_space)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        (token, head, names[label])
        for token, (head, label, is_space) in enumerate(rows)
        if not is_space
    ]


def _has_sentences(doc: Doc) -> bool:
    """Whether the sentence starts are known. They are not known in partial trees."""
    return doc.has_annotation("SENT_START") and not ReferenceArrays(doc).is_partial


def _sentences(doc: Doc, attr: str) -> Iterator[Span]:
    """The sentences of a document without whitespace around them."""
    for sent in doc.sents:
        words = [token.i for token in sent if not token.is_space]
        if words:
            yield doc[words[0] : words[-1] + 1]


def parser_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score parsed examples.

    Returns:
        dep_uas, dep_las and dep_las_per_type without punctuation, as spaCy's own parser
        scorer does; dep_uas_all and dep_las_all over all words; sents_p, sents_r and
        sents_f. A score is None if no gold head, label or sentence is known. The
        sentences of partially annotated documents are not known.
    """
    examples = list(examples)
    without_punctuation = AttachmentScore(IGNORED_LABELS)
    all_words = AttachmentScore()
    for example in examples:
        arcs = _arcs(example.reference), _arcs(example.predicted), _words_of(example)
        without_punctuation.add(*arcs)
        all_words.add(*arcs)
    results: dict[str, Any] = Scorer.score_spans(
        examples, "sents", getter=_sentences, has_annotation=_has_sentences
    )
    results.pop("sents_per_type", None)
    for suffix, score in (("", without_punctuation), ("_all", all_words)):
        results[f"dep_uas{suffix}"] = _fscore(score.unlabelled)
        results[f"dep_las{suffix}"] = _fscore(score.labelled)
    results["dep_las_per_type"] = (
        {
            label: score.to_dict()
            for label, score in sorted(without_punctuation.per_label.items())
        }
        if len(without_punctuation.labelled) > 0
        else None
    )
    return results


def _fscore(score: PRFScore) -> float | None:
    return float(score.fscore) if len(score) else None


@registry.scorers("spacy_dynoracle.parser_scorer.v1")
def make_parser_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_parser`."""
    return parser_score
