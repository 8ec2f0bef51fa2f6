"""Losses of candidate trees.

The loss of a tree is the number of its words with a wrong head (Hamming distance).

Source: Liu et al. 2015, section 3.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.util.arrays import BoolArray, Int32Array

# Gold heads and labels that do not count, and a gold label that no candidate has.
UNKNOWN, NEVER_SEEN = -1, -2


class GoldHeads(NamedTuple):
    """The gold tree to which the candidates of one sentence are compared.

    Attributes:
        heads: int32 of shape (n,), -1 for an unknown head; such a word does not count.
        labels: int32 of shape (n,), numbers as in the candidates, -1 for an unknown
            label, -2 for one that no candidate has; None to compare heads only.
        is_scored: For each word whether it counts; None for all words.
    """

    heads: Int32Array
    labels: Int32Array | None = None
    is_scored: BoolArray | None = None

    def counts(self) -> BoolArray:
        """For each word whether it counts."""
        known: BoolArray = self.heads != UNKNOWN
        return known if self.is_scored is None else known & self.is_scored


def losses(candidates: Candidates, gold: GoldHeads) -> Int32Array:
    """The loss of each candidate: the number of words with a wrong head or, if the gold
    labels are given, with a wrong head or label.

    Returns:
        int32 of shape (k,).

    Raises:
        ValueError: If the numbers of words differ.
    """
    n_words = candidates.heads.shape[1]
    for name, values in gold._asdict().items():
        if values is not None and len(values) != n_words:
            raise ValueError(
                f"{name} of {len(values)} gold words for candidates of {n_words}"
            )
    wrong: BoolArray = candidates.heads != gold.heads
    if gold.labels is not None:
        wrong |= (candidates.labels != gold.labels) & (gold.labels != UNKNOWN)
    found: Int32Array = (wrong & gold.counts()).sum(axis=1, dtype=np.int32)
    return found
