"""The scorer of the lemmatizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.training import Example
from spacy.util import registry


def lemmatizer_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score lemmatized examples.

    Returns:
        lemma_acc, the share of the tokens whose lemma is right, as spaCy's own
        lemmatizers do; None if no token of the references has a lemma.
    """
    return Scorer.score_token_attr(examples, "lemma")


@registry.scorers("spacy_dynoracle.lemmatizer_scorer.v1")
def make_lemmatizer_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_lemmatizer`."""
    return lemmatizer_score
