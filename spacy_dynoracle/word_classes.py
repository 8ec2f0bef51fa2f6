"""Which tags and forms the ranker takes for prepositions, punctuation and so on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from spacy.strings import get_string_id

from .arrays import BoolArray, Int32Array
from .columns import CONJUNCTIONS, tag_ids
from .core.ranking.template_sets import LIU_2015, LIU_2015_UD
from .core.ranking.word_classes import WordClasses

# Names of tags in the universal tag set and in that of the Penn Treebank.
PREPOSITIONS = ("ADP", "IN", "RP")
PUNCTUATION = ("PUNCT", "``", "''", ",", ":", ".")
# What opens and what closes.
PAIRS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("-LRB-", "-RRB-"),
    ('"', '"'), ("``", "''"), ("“", "”"), ("„", "“"), ("«", "»"),
)  # fmt: skip


def word_classes(
    tag_attr: str,
    *,
    prepositions: Iterable[str] = PREPOSITIONS,
    punctuation: Iterable[str] = PUNCTUATION,
    conjunctions: Iterable[str] = CONJUNCTIONS,
    pairs: Iterable[tuple[str, str]] = PAIRS,
) -> WordClasses:
    """The codes of some tags and forms.

    tag_attr: the token attribute that the tags are values of, "TAG" or "POS". pairs: of
    forms, what opens and what closes.
    """
    return WordClasses(
        prepositions=_codes(tag_attr, prepositions),
        punctuation=_codes(tag_attr, punctuation),
        conjunctions=_codes(tag_attr, conjunctions),
        pairs=tuple((get_string_id(a), get_string_id(b)) for a, b in pairs),
    )


def _codes(tag_attr: str, names: Iterable[str]) -> tuple[int, ...]:
    return tuple(tag_ids(tag_attr, names).tolist())


def attachment_templates(
    trees: Sequence[tuple[Int32Array, BoolArray]],
) -> tuple[str, ...]:
    """The 219 templates, with those for prepositions that suit the annotation.

    trees: for each sentence the heads of its words (1..n, 0 for ROOT) and which words
    are prepositions.

    Where most prepositions have a dependent they are heads (Penn Treebank), else they
    depend on the noun (Universal Dependencies).
    """
    n = n_heads = 0
    for heads, are_prepositions in trees:
        has_dependents = np.zeros_like(are_prepositions)
        has_dependents[heads[heads > 0] - 1] = True
        n += int(are_prepositions.sum())
        n_heads += int((has_dependents & are_prepositions).sum())
    return LIU_2015 if 2 * n_heads > n else LIU_2015_UD
