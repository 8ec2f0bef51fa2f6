"""The scorer of the sentence splitter: spaCy's scores of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry


def has_sentences(doc: Doc) -> bool:
    """Whether the sentence starts of a Doc are known."""
    return doc.has_annotation("SENT_START")


def senter_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score the sentences of examples.

    Returns:
        sents_p, sents_r and sents_f, as spaCy's own senter does. They are None if no
        reference has sentences.
    """
    results = Scorer.score_spans(
        examples, "sents", has_annotation=has_sentences, **kwargs
    )
    results.pop("sents_per_type", None)
    return results


@registry.scorers("spacy_dynoracle.senter_scorer.v1")
def make_senter_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_senter`."""
    return senter_score
