"""The tags and forms that count as prepositions, punctuation and so on."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import NamedTuple

import numpy as np
from spacy.attrs import HEAD
from spacy.strings import get_string_id
from spacy.tokens import Doc

from spacy_dynoracle.doc.columns import CONJUNCTIONS, tag_ids

from .template_sets import LIU_2015, LIU_2015_UD

# Names of tags in the universal tag set and in those of the Penn Treebanks of English
# and Chinese.
PREPOSITIONS = ("ADP", "IN", "RP", "P")
PUNCTUATION = ("PUNCT", "``", "''", ",", ":", ".", "PU")
# Pairs of an opening and a closing form.
PAIRS = (
    ("(", ")"), ("[", "]"), ("{", "}"), ("-LRB-", "-RRB-"),
    ('"', '"'), ("``", "''"), ("“", "”"), ("„", "“"), ("«", "»"),
)  # fmt: skip


class WordClasses(NamedTuple):
    """The codes of some tags and forms, as they are in the columns of a sentence.

    Attributes:
        prepositions, punctuation, conjunctions: Of tags.
        pairs: Of the forms of quotation marks and brackets, as pairs of what opens and
            what closes.
    """

    prepositions: tuple[int, ...] = ()
    punctuation: tuple[int, ...] = ()
    conjunctions: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_lists(
        cls, pairs: Iterable[tuple[int, int]], **tags: Iterable[int]
    ) -> WordClasses:
        """The classes that a model file keeps as lists.

        Raises:
            TypeError: For codes that are no integers.
        """
        codes = {name: tuple(map(index, values)) for name, values in tags.items()}
        return cls(**codes, pairs=tuple((index(a), index(b)) for a, b in pairs))


def word_classes(tag_attr: str) -> WordClasses:
    """The numbers of the tags and forms above.

    Args:
        tag_attr: The token attribute of the tags, "TAG" or "POS".
    """
    prepositions, punctuation, conjunctions = (
        tuple(tag_ids(tag_attr, names).tolist())
        for names in (PREPOSITIONS, PUNCTUATION, CONJUNCTIONS)
    )
    pairs = tuple((get_string_id(a), get_string_id(b)) for a, b in PAIRS)
    return WordClasses(prepositions, punctuation, conjunctions, pairs)


def attachment_templates(docs: Iterable[Doc], tag_attr: str) -> tuple[str, ...]:
    """The 219 templates; those for prepositions are the ones that suit the annotation.

    Where most prepositions have a dependent they are heads (Penn Treebank); otherwise
    they depend on the noun (Universal Dependencies).

    Args:
        docs: Documents with gold trees.
        tag_attr: The token attribute with their tags.
    """
    prepositions = word_classes(tag_attr).prepositions
    n = n_heads = 0
    for doc in docs:
        table = doc.to_array([tag_attr, HEAD])
        offsets = table[:, 1].view(np.int64)
        has_dependents = np.zeros(len(doc), dtype=bool)
        has_dependents[(np.arange(len(doc)) + offsets)[offsets != 0]] = True
        are_prepositions = np.isin(table[:, 0], prepositions)
        n += int(are_prepositions.sum())
        n_heads += int((has_dependents & are_prepositions).sum())
    return LIU_2015 if 2 * n_heads > n else LIU_2015_UD
