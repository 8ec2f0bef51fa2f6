"""The scorer of the lemmatizer."""

from collections.abc import Callable
from typing import Any

from spacy.pipeline.lemmatizer import lemmatizer_score
from spacy.util import registry


@registry.scorers("spacy_dynoracle.lemmatizer_scorer.v1")
def make_lemmatizer_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_lemmatizer`: spaCy's share of tokens whose lemma is
    right.
    """
    return lemmatizer_score
