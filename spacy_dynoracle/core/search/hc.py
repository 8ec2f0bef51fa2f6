"""HC-search: a beam uncovers good trees, a ranker chooses among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model.model import Model
from ..reranking.mixture import mixture
from ..reranking.ranker import Ranker
from ..results import Candidates
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from .beam_search import BeamSearch

TOGETHER = 64


class HCSearch(BeamSearch):
    """Take the candidate of a beam that the ranker of the model, or its mixture with
    the score of the search, puts first.

    beam_size: as of `BeamSearch`.

    Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.5.
    """

    needs_part = "ranker"

    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """As `Search.parse`.

        Raises ValueError for a model without a ranker.
        """
        ranker = self._ranker(model)
        heads = [np.zeros(0, dtype=np.int32)]
        labels = [np.zeros(0, dtype=np.int32)]
        # Not all at once: candidates take much memory.
        for start in range(0, len(sentences), TOGETHER):
            some = sentences[start : start + TOGETHER]
            candidates = super().candidates(model, some, root_rule)
            for sentence, found in zip(some, candidates, strict=True):
                best = ranker.choose(sentence, found)
                heads.append(found.heads[best])
                labels.append(found.labels[best])
        return np.concatenate(heads), np.concatenate(labels)

    def candidates(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]:
        """As `Search.candidates`, in the order of the ranker."""
        ranker = self._ranker(model)
        return [
            _ranked(ranker, sentence, found)
            for sentence, found in zip(
                sentences, super().candidates(model, sentences, root_rule), strict=True
            )
        ]

    def _ranker(self, model: Model) -> Ranker:
        ranker = model.ranker
        if ranker is None:
            raise ValueError(
                f"{self!r} needs a model with a ranker: make one with spacy-dynoracle "
                f"rank, or use BeamSearch"
            )
        return ranker


def _ranked(ranker: Ranker, sentence: Sentence, found: Candidates) -> Candidates:
    scores = ranker.scores(sentence, found)
    mixed = mixture(found.scores, scores, ranker.alpha)
    # As `Ranker.choose` decides between equals.
    order = np.lexsort((-found.scores, -mixed))
    return Candidates(
        found.heads[order],
        found.labels[order],
        found.scores[order],
        found.log_sums[order],
        scores[order],
        mixed[order],
    )
