"""Losses of candidate trees, and their parts due to search and to choice.

The loss of a tree is the number of its words with a wrong head (Hamming distance). The
*generation loss* is the loss of the best candidate that the search found. The
*selection loss* is the further loss of the candidate that was chosen.

Source: Liu et al. 2015, sections 3.1 and 4.4.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    found: Int32Array = _wrong(candidates, gold).sum(axis=1, dtype=np.int32)
    return found


def _wrong(candidates: Candidates, gold: GoldHeads) -> BoolArray:
    n_words = candidates.heads.shape[1]
    for name, values in gold._asdict().items():
        if values is not None and len(values) != n_words:
            raise ValueError(
                f"{name} of {len(values)} gold words for candidates of {n_words}"
            )
    wrong: BoolArray = candidates.heads != gold.heads
    if gold.labels is not None:
        wrong |= (candidates.labels != gold.labels) & (gold.labels != UNKNOWN)
    return wrong & gold.counts()


class Decomposition(NamedTuple):
    """The losses of a search and of the choice among its candidates, in per cent of the
    words that count.

    Attributes:
        n_words: Number of words that count.
        generation: Loss of the best candidates.
        selection: Further loss of the chosen candidates (Eq. 1), so that total =
            generation + selection.
        mean_distance: Distance of the chosen candidates to the best ones, the mean over
            these where there are several. Table 2 of the paper reports it as selection
            loss.
        total: Loss of the chosen candidates.
    """

    n_words: int
    generation: float
    selection: float
    mean_distance: float
    total: float


def decompose(
    candidates: Sequence[Candidates], golds: Sequence[GoldHeads], chosen: Sequence[int]
) -> Decomposition:
    """Divide the losses of sentences into generation loss and selection loss.

    Args:
        chosen: For each sentence the index of the chosen candidate.

    Raises:
        ValueError: If a sentence has no candidate. If no word counts, all losses are 0.
    """
    n_words = least = total = 0
    distance = 0.0
    for number, (found, gold, choice) in enumerate(
        zip(candidates, golds, chosen, strict=True)
    ):
        if len(found.scores) == 0:
            raise ValueError(f"sentence {number} has no candidate")
        loss = losses(found, gold)
        n_words += int(gold.counts().sum())
        least += int(loss.min())
        total += int(loss[choice])
        best = np.flatnonzero(loss == loss.min())
        distance += _distances(found, gold, choice)[best].mean()
    unit = 100.0 / max(n_words, 1)
    return Decomposition(
        n_words,
        least * unit,
        (total - least) * unit,
        float(distance) * unit,
        total * unit,
    )


def _distances(candidates: Candidates, gold: GoldHeads, choice: int) -> Int32Array:
    """The distance of the choice to each candidate, over the words that count."""
    differ: BoolArray = candidates.heads != candidates.heads[choice]
    if gold.labels is not None:
        # Unknown gold labels do not count.
        known = gold.labels != UNKNOWN
        differ |= (candidates.labels != candidates.labels[choice]) & known
    distances: Int32Array = (differ & gold.counts()).sum(axis=1, dtype=np.int32)
    return distances
