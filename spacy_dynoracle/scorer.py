"""The scorer of the component.

spaCy's conventions for `dep_uas`, `dep_las` and `sents_*` (labels in lower case, no
punctuation), computed document by document, so that partial annotation of one document
does not change how the next one is scored; and the scores over all words, with which
papers are compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import PRFScore, Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.util import registry

from .examples import same_tokens

IGNORED_LABELS = ("p", "punct")
Arc = tuple[int, int, str]


class AttachmentScore:
    """Precision and recall of arcs, over all examples that were added.

    ignored: labels, in lower case, that are not scored.
    """

    def __init__(self, ignored: tuple[str, ...] = ()) -> None:
        self.ignored = ignored
        self.unlabelled = PRFScore()
        self.labelled = PRFScore()
        self.per_label: dict[str, PRFScore] = defaultdict(PRFScore)

    def add(self, example: Example) -> None:
        """Count one example; tokens whose gold head is unknown are not scored."""
        gold: set[Arc] = set()
        missing = set()
        for token in example.reference:
            if not token.has_dep() or token.is_space:
                missing.add(token.i)
            elif _label(token) not in self.ignored:
                gold.add((token.i, token.head.i, _label(token)))
        predicted: set[Arc] = set()
        to_gold = _to_gold(example)
        for token in example.predicted:
            gold_token = to_gold(token)
            if token.is_space or gold_token in missing:
                continue
            if _label(token) in self.ignored:
                continue
            gold_head = to_gold(token.head)
            if gold_token is None or gold_head is None:
                self.unlabelled.fp += 1
                self.labelled.fp += 1
            else:
                predicted.add((gold_token, gold_head, _label(token)))
        self.labelled.score_set(predicted, gold)
        self.unlabelled.score_set(
            {arc[:2] for arc in predicted}, {arc[:2] for arc in gold}
        )
        for label in {arc[2] for arc in predicted | gold}:
            self.per_label[label].score_set(
                {arc for arc in predicted if arc[2] == label},
                {arc for arc in gold if arc[2] == label},
            )


def _label(token: Token) -> str:
    return str(token.dep_).lower()


def _to_gold(example: Example) -> Callable[[Token], int | None]:
    """From a predicted token to the index of the gold token, None where there is not
    exactly one."""
    if same_tokens(example):
        return lambda token: int(token.i)
    alignment = example.alignment.x2y

    def index(token: Token) -> int | None:
        if alignment.lengths[token.i] != 1:
            return None
        return int(alignment[token.i][0])

    return index


def _has_sentences(doc: Doc) -> bool:
    return bool(doc.has_annotation("SENT_START"))


def parser_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score parsed examples.

    Returns dep_uas, dep_las and dep_las_per_type without punctuation, as spaCy's own
    parser scorer; dep_uas_all and dep_las_all over all words; sents_p, sents_r and
    sents_f. Attachment scores are None where no head is known.
    """
    examples = list(examples)
    without_punctuation = AttachmentScore(IGNORED_LABELS)
    all_words = AttachmentScore()
    for example in examples:
        without_punctuation.add(example)
        all_words.add(example)
    results: dict[str, Any] = Scorer.score_spans(
        examples, "sents", has_annotation=_has_sentences
    )
    results.pop("sents_per_type", None)
    for suffix, score in (("", without_punctuation), ("_all", all_words)):
        known = len(score.unlabelled) > 0
        results[f"dep_uas{suffix}"] = score.unlabelled.fscore if known else None
        results[f"dep_las{suffix}"] = score.labelled.fscore if known else None
    results["dep_las_per_type"] = (
        {
            label: score.to_dict()
            for label, score in sorted(without_punctuation.per_label.items())
        }
        if len(without_punctuation.unlabelled) > 0
        else None
    )
    return results


@registry.scorers("spacy_dynoracle.parser_scorer.v1")
def make_parser_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_parser`."""
    return parser_score
