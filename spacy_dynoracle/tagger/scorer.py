"""The scorer of the tagger: spaCy's scores for the attributes that it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Token
from spacy.training import Example
from spacy.util import registry

from .attributes import TAG_NAMES


def key_of(token: Token, attr: str) -> int:
    """The number of a morphological analysis, which the scores of MORPH compare."""
    return int(getattr(token, attr).key)


def tagger_score(
    examples: Iterable[Example], *, attrs: Sequence[str] = TAG_NAMES, **kwargs: Any
) -> dict[str, Any]:
    """Score tagged examples.

    Args:
        attrs: The attributes to score, of "TAG", "POS" and "MORPH".

    Returns:
        tag_acc; pos_acc; morph_acc, morph_micro_p, morph_micro_r, morph_micro_f and
        morph_per_feat, as spaCy's own tagger and morphologizer do. A score is None if
        its attribute is not annotated.
    """
    examples = list(examples)
    results: dict[str, Any] = {}
    if "TAG" in attrs:
        results |= Scorer.score_token_attr(examples, "tag")
    if "POS" in attrs:
        results |= Scorer.score_token_attr(examples, "pos")
    if "MORPH" in attrs:
        results |= Scorer.score_token_attr(examples, "morph", getter=key_of)
        results |= Scorer.score_token_attr_per_feat(examples, "morph", getter=key_of)
    return results


@registry.scorers("spacy_dynoracle.tagger_scorer.v1")
def make_tagger_scorer() -> Callable[..., dict[str, Any]]:
    """The scorer of `dynoracle_tagger`."""
    return tagger_score
