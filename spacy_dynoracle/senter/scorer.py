"""The scorer of the sentence splitter."""

from collections.abc import Callable
from typing import Any

from spacy.pipeline.senter import senter_score  # type: ignore[import-not-found]
from spacy.util import registry


@registry.scorers("spacy_dynoracle.senter_scorer.v1")
def make_senter_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_senter`: spaCy's scores of sentences."""
    found: Callable[..., dict[str, Any]] = senter_score
    return found
