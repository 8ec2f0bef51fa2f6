"""95 % intervals of scores: how much they would vary with another test set.

The test set is drawn again and again from its own documents, or from its sentences if
it marks few documents (percentile bootstrap; Efron & Tibshirani 1993). The sentences of
a document are alike, so intervals over sentences may be too narrow. How much scores
vary with the seed of the training is not in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..reports.significance import LEVEL, bootstrap
from ..treebank import TreebankSentence
from ..treebank.text import documents
from ..util.arrays import IntArray
from .conll2018 import TextScore

Interval = tuple[float, float]
Unit = Literal["document", "sentence"]

# So many documents tell how much documents vary.
_ENOUGH = 20


@dataclass(frozen=True, eq=False)
class Sample:
    """The test set as it is drawn.

    Attributes:
        unit: What is drawn.
        unit_of: The number of the unit of each sentence.
    """

    unit: Unit
    unit_of: IntArray

    @classmethod
    def of(cls, sentences: Iterable[TreebankSentence]) -> Sample:
        """The test set with these sentences."""
        lengths = list(map(len, documents(sentences)))
        if len(lengths) >= _ENOUGH:
            return cls("document", np.repeat(np.arange(len(lengths)), lengths))
        return cls("sentence", np.arange(sum(lengths)))

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.unit_of.max()) + 1 if len(self.unit_of) else 0

    def intervals(
        self, ratios: Mapping[str, tuple[IntArray, IntArray]]
    ) -> dict[str, Interval]:
        """The intervals of ratios, given the two counts of each sentence.

        There are none for a single unit.
        """
        if self.n_units < 2:
            return {}
        columns = np.array(
            [
                np.bincount(self.unit_of, counts, self.n_units)
                for pair in ratios.values()
                for counts in pair
            ]
        )
        drawn = bootstrap(columns)
        values = drawn[::2] / np.maximum(drawn[1::2], 1)
        ends = np.percentile(values, [50 - LEVEL / 2, 50 + LEVEL / 2], axis=1).T
        return {
            name: (low, high)
            for name, (low, high) in zip(ratios, ends.tolist(), strict=True)
        }

    def with_intervals(self, scores: Mapping[str, TextScore]) -> dict[str, TextScore]:
        """Scores with their intervals."""
        counts = {name: score.counts for name, score in scores.items() if score.counts}
        found = self.intervals(counts)
        return {
            name: replace(score, interval=found.get(name))
            for name, score in scores.items()
        }

    def note(self) -> str:
        """A note for tables."""
        if self.n_units < 2:
            return f"95 %: one {self.unit} has no interval."
        return (
            f"95 %: interval of the score by bootstrap over {self.n_units:,} "
            f"{self.unit}s."
        )
