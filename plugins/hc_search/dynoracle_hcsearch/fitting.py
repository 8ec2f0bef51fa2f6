"""Training of a ranker in several rounds.

Source: Liu et al. 2015, sections 3.3 and 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.state.sentence import Sentence

from .mixture import Scored, best_alpha, choices
from .ranker import Ranker
from .trainer import RankerTrainer

# This many weights take 24 MB in a file. Millions of further weights are close to 0,
# and leaving them out does not change the scores on development data.
MAX_FEATURES = 2_000_000
# An example is a sentence, its candidates and their losses.
Example = tuple[Sentence, Candidates, npt.NDArray[np.int32]]


class Round(NamedTuple):
    """The ranker after a round over the training data.

    Attributes:
        number: Number of the round, counted from 1.
        ranker: Ranker with the averaged weights and their best `alpha`.
        n_pairs, n_updates: Number of pairs and of updates in the round.
        loss: Loss of the ranker alone on the development data.
        mixture_loss: Loss of the mixture on the development data.
    """

    number: int
    ranker: Ranker
    n_pairs: int
    n_updates: int
    loss: int
    mixture_loss: int


def score_candidates(ranker: Ranker, examples: Sequence[Example]) -> list[Scored]:
    """The scores of search and ranker, and the losses, of the candidates of each
    sentence.
    """
    return [
        Scored(candidates.scores, ranker.scores(sentence, candidates), losses)
        for sentence, candidates, losses in examples
    ]


def rounds(
    trainer: RankerTrainer,
    training: list[Example],
    development: Sequence[Example],
    n_rounds: int,
) -> Iterator[Round]:
    """Train a ranker and yield its state after each round."""
    for number in range(1, n_rounds + 1):
        n_pairs, n_updates = trainer.train(training)
        ranker = trainer.freeze(max_features=MAX_FEATURES)
        scored = score_candidates(ranker, development)
        loss = sum(
            int(s.losses[choices(s.search, s.ranker, np.zeros(1))[0]])
            for s in scored
            if len(s.search)
        )
        alpha, mixture_loss = best_alpha(scored)
        yield Round(
            number, ranker.with_alpha(alpha), n_pairs, n_updates, loss, mixture_loss
        )
