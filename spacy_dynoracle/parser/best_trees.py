"""The best trees of a segment: words of a document that are parsed together.

These are the distinct trees in the beam at the end of the search. A list may be shorter
than requested, because it has only the trees of the beam. It is not a sample.

Scores are sums over the transitions of the best derivation of a tree. Scores of
models with a temperature are logarithms of probabilities. Scores of other models only
rank the trees.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc

from ..util.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class BestTrees:
    """The best trees of a segment of n words, k of them, best first.

    Crossing arcs have been put back, so trees are those that a parse would write. Where
    a preset boundary, or crossing arcs, made the parser parse words again, the score is
    that of the derivation before.

    Attributes:
        doc: The document.
        words: The indices of the words in it, ascending, of shape (n,).
        heads: Of shape (k, n), the indices of the heads in the document; that of a root
            is its own.
        label_numbers: Of shape (k, n), places in label_names.
        scores: Of shape (k,), see above.
        log_sums: Of shape (k,), logarithms of the probabilities of the trees: sums over
            their derivations in the beam; None for models without a temperature.
        ranker_scores, mixture: With HC-search the scores of the ranker, and the mixture
            of both, by which the trees are sorted then; else None.
    """

    doc: Doc
    words: IntArray
    heads: IntArray
    label_numbers: IntArray
    label_names: Sequence[str]
    scores: FloatArray
    log_sums: FloatArray | None
    ranker_scores: FloatArray | None = None
    mixture: FloatArray | None = None

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.scores)

    @property
    def sorted_by(self) -> FloatArray:
        """The values that sort the trees: the mixture if there is one, else the
        scores.
        """
        return self.scores if self.mixture is None else self.mixture

    @property
    def deps(self) -> list[list[str]]:
        """For each tree the labels of the words."""
        names = self.label_names
        return [[names[i] for i in row] for row in self.label_numbers.tolist()]

    @property
    def probabilities(self) -> FloatArray | None:
        """For each tree a lower bound of its probability; None without a
        temperature.
        """
        return None if self.log_sums is None else np.exp(self.log_sums)

    def support(self) -> FloatArray:
        """For each arc of each tree the share of the trees that have it, with the same
        label; shape (k, n).
        """
        arcs = self.heads * len(self.label_names) + self.label_numbers
        return np.array([(arcs == tree).mean(axis=0) for tree in arcs]).reshape(
            arcs.shape
        )
