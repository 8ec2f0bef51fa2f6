"""Where the errors of a parser with a beam come from.

Source: Liu et al. 2015, sections 3.1 and 4.4; see `core.ranking.losses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.reranking.losses import UNKNOWN, GoldHeads, decompose
from ..core.results import Candidates
from ..evaluation.attachment import comparable, scored_words
from ..treebank.sentence import Token
from .best_trees import BestTrees
from .k_best import KBest


@dataclass(frozen=True, slots=True)
class BeamLosses:
    """Losses as fractions of the words that count; 0 where there are none.

    words: how many count. oracle_score: attachment score of the best trees in the beam.
    generation: what is lost because there is none better. selection: what the parser's
    tree loses beside them, so that total = generation + selection. mean_distance: of
    the parser's tree to the best ones, on average over these; this is what table 2 of
    Liu et al. (2015) has for the selection loss. total: the loss of the parser's tree.
    """

    words: int
    oracle_score: float
    generation: float
    selection: float
    mean_distance: float
    total: float


class BeamEvaluation:
    """Collects the losses of a corpus under one definition of scored words.

    scored: a name of `evaluation.SCORED_WORDS`. labelled: whether an arc is right if
    head and label are, or if the head is. Words without a gold head, or without a gold
    label where labels count, are not scored. Raises ValueError for another name.
    """

    def __init__(self, scored: str = "all", labelled: bool = False) -> None:
        self.scored = scored
        self.labelled = labelled
        self._is_scored = scored_words(scored)
        self._words = 0
        # Sums over the words of what `decompose` gives, in its order.
        self._sums = np.zeros(4)

    def add(self, gold: Sequence[Token], trees: KBest) -> None:
        """Take in a sentence, or several, in a document of theirs.

        trees: the whole beam, the parser's tree first. Segments are searched apart from
        one another, so their losses add up. Raises ValueError for other words.
        """
        if len(gold) != len(trees.doc):
            raise ValueError(
                f"{len(gold)} gold words for a document of {len(trees.doc)} tokens"
            )
        for segment in trees:
            words = [gold[i] for i in segment.words.tolist()]
            numbers = {comparable(n): i for i, n in enumerate(segment.label_names)}
            found = decompose(
                [_candidates(segment, numbers)], [self._gold(words, numbers)], [0]
            )
            self._words += found.n_words
            self._sums += found.n_words * np.array(found[1:]) / 100

    def losses(self) -> BeamLosses:
        """Those of everything so far."""
        generation, selection, distance, total = (
            self._sums / max(self._words, 1)
        ).tolist()
        return BeamLosses(
            self._words, 1 - generation, generation, selection, distance, total
        )

    def _gold(self, words: list[Token], numbers: dict[str, int]) -> GoldHeads:
        heads = [UNKNOWN if word.head is None else word.head for word in words]
        is_scored = [
            self._is_scored(word) and not (self.labelled and word.deprel is None)
            for word in words
        ]
        labels = None
        if self.labelled:
            # A label that the parser does not know is like no other.
            unheard = len(numbers)
            labels = np.array(
                [
                    UNKNOWN
                    if word.deprel is None
                    else numbers.get(comparable(word.deprel), unheard)
                    for word in words
                ],
                dtype=np.int32,
            )
        return GoldHeads(np.array(heads, dtype=np.int32), labels, np.array(is_scored))


def _candidates(trees: BestTrees, numbers: dict[str, int]) -> Candidates:
    """The trees in the numbering of CoNLL, with equal labels as equal numbers."""
    heads = np.where(trees.heads == trees.words, 0, trees.heads + 1)
    same = np.array([numbers[comparable(name)] for name in trees.label_names])
    log_sums = trees.scores if trees.log_sums is None else trees.log_sums
    return Candidates(
        heads.astype(np.int32),
        same[trees.label_numbers].astype(np.int32),
        trees.scores,
        log_sums,
    )
