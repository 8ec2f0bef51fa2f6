"""HC-search: a beam uncovers good trees, a ranker chooses among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model import Model
from ..sentence import Sentence
from .beam import BeamSearch

TOGETHER = 64


class HCSearch(BeamSearch):
    """Take the candidate of a beam that the ranker of the model, or its mixture with
    the score of the search, puts first.

    beam_size: as of `BeamSearch`.

    Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.5.
    """

    def parse(
        self, model: Model, sentences: list[Sentence]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """As `Search.parse`.

        Raises ValueError for a model without a ranker.
        """
        ranker = model.ranker
        if ranker is None:
            raise ValueError(
                f"{self!r} needs a model with a ranker: make one with spacy-dynoracle "
                f"rank, or use BeamSearch"
            )
        heads = [np.zeros(0, dtype=np.int32)]
        labels = [np.zeros(0, dtype=np.int32)]
        # Not all at once: candidates take much memory.
        for start in range(0, len(sentences), TOGETHER):
            some = sentences[start : start + TOGETHER]
            for sentence, found in zip(some, self.candidates(model, some), strict=True):
                best = ranker.choose(sentence, found)
                heads.append(found.heads[best])
                labels.append(found.labels[best])
        return np.concatenate(heads), np.concatenate(labels)
