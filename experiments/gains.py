"""Gains of systems on several treebanks, tested by permutations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_dynoracle.reports.significance import REPETITIONS, permutation_test
from spacy_dynoracle.util.arrays import IntArray

ALPHA = 0.05
AVERAGE = "average"
# A note below a table of the results of `compare`.
NOTE = (
    f"p: permutation test, {REPETITIONS:,} repetitions, sentences as units, runs with "
    "the same seed paired and all seeds pooled; the average is tested as a whole. *: "
    f"below {ALPHA:g} after Holm's correction for the number of treebanks."
)


@dataclass(frozen=True)
class Paired:
    """Two systems on the same sentences.

    Attributes:
        differences: For each sentence of each seed, the number of correct words of the
            first system minus that of the second.
        words: Number of words in all seeds.
    """

    differences: IntArray
    words: int


@dataclass(frozen=True)
class Gain:
    """A difference in percentage points.

    Attributes:
        p: P-value of the permutation test.
        corrected: P-value corrected for the tests of several treebanks. For the
            average, which is one test, it equals p.
    """

    points: float
    p: float
    corrected: float

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below ALPHA."""
        return self.corrected < ALPHA


def compare(treebanks: Mapping[str, Paired | None]) -> dict[str, Gain]:
    """Test the differences on treebanks, and their average over the treebanks.

    Args:
        treebanks: Results by name, None where runs are not done. The average gives each
            treebank the same weight. It is tested if there are several treebanks and
            none is None.
    """
    known = {name: one for name, one in treebanks.items() if one and one.words}
    p_values = [permutation_test(one.differences) for one in known.values()]
    found = {
        name: Gain(100 * float(one.differences.sum()) / one.words, p, corrected)
        for (name, one), p, corrected in zip(
            known.items(), p_values, holm(p_values), strict=True
        )
    }
    if len(known) == len(treebanks) > 1:
        shares = [one.differences / (one.words * len(known)) for one in known.values()]
        every = np.concatenate(shares)
        p = permutation_test(every)
        found[AVERAGE] = Gain(100 * float(every.sum()), p, p)
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for testing all of them (Holm 1979), in the same order."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = largest
    return corrected
