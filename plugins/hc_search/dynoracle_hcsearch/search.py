"""HC-search: a beam uncovers good trees, a ranker chooses among them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spacy.util import registry

from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.search.base import Search
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.util.config_errors import block_function

from .mixture import mixture
from .ranker import Ranker

# The part of a model with the ranker; an entry point says who reads it.
PART = "ranker"
TOGETHER = 64


class HCSearch(BeamSearch):
    """Take the candidate of a beam that the ranker of the model, or its mixture with
    the score of the search, puts first.

    Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.5.

    Args:
        beam_size: As of `BeamSearch`.
    """

    needs_part = PART

    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """As `Search.parse`.

        Raises:
            ValueError: For a model without a ranker.
        """
        self._ranker_of(model)
        heads = [np.zeros(0, dtype=np.int32)]
        labels = [np.zeros(0, dtype=np.int32)]
        # Not all at once: candidates take much memory.
        for start in range(0, len(sentences), TOGETHER):
            some = sentences[start : start + TOGETHER]
            for found in self.candidates(model, some, root_rule):
                heads.append(found.heads[0])
                labels.append(found.labels[0])
        return np.concatenate(heads), np.concatenate(labels)

    def candidates(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]:
        """As `Search.candidates`, in the order of the ranker.

        Raises:
            ValueError: For a model without a ranker.
        """
        ranker = self._ranker_of(model)
        found = super().candidates(model, sentences, root_rule)
        return [
            in_order(ranker, sentence, candidates)
            for sentence, candidates in zip(sentences, found, strict=True)
        ]

    def _ranker_of(self, model: Model) -> Ranker:
        """The ranker of a model. Raises ValueError for a model without one."""
        ranker: Ranker | None = model.parts.get(PART)
        if ranker is None:
            raise ValueError(
                f"{self!r} needs a model with a ranker: make one with python -m "
                f"dynoracle_hcsearch rank, or use BeamSearch"
            )
        return ranker


def in_order(ranker: Ranker, sentence: Sentence, found: Candidates) -> Candidates:
    """The candidates of a sentence in the order of a ranker.

    Among equal candidates the highest score of the search comes first.
    """
    scores = ranker.scores(sentence, found)
    mixed = mixture(found.scores, scores, ranker.alpha)
    order = np.lexsort((-found.scores, -mixed))
    return Candidates(*(values[order] for values in (*found[:4], scores, mixed)))


@registry.misc("spacy_dynoracle.HCSearch.v1")
@block_function("search")
def make_hc_search(beam_size: int = 64, n_best: int = 0) -> Search:
    """Let a ranker choose among the trees of a beam.

    Args:
        beam_size (int): As for the beam. The command `rank` trains a ranker.
        n_best (int): As for the beam.
    """
    return HCSearch(beam_size, n_best)
