"""Training a ranker: rounds over the training data, the best one on development data.

Source: Liu et al. 2015, sections 3.3 and 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..results import Candidates
from ..state.sentence import Sentence
from .mixture import Scored, best_alpha, choices
from .ranker import Ranker
from .trainer import RankerTrainer

# 24 MB in a file. Of the millions of weights beyond, which hardly differ from 0, none
# is missed on development data.
MAX_FEATURES = 2_000_000
# A sentence, its candidates and their losses.
Example = tuple[Sentence, Candidates, npt.NDArray[np.int32]]


class Round(NamedTuple):
    """The ranker after a round over the training data.

    number: from 1. ranker: of the averaged weights, with its best `alpha`. n_pairs,
    n_updates: of the round. loss: on the development data, of the ranker alone;
    mixture_loss: of the mixture.
    """

    number: int
    ranker: Ranker
    n_pairs: int
    n_updates: int
    loss: int
    mixture_loss: int


def score_candidates(ranker: Ranker, examples: Sequence[Example]) -> list[Scored]:
    """The candidates of sentences with both scores and their losses."""
    return [
        Scored(candidates.scores, ranker.scores(sentence, candidates), losses)
        for sentence, candidates, losses in examples
    ]


def rounds(
    trainer: RankerTrainer,
    training: list[Example],
    development: Sequence[Example],
    n_rounds: int,
    max_features: int | None = MAX_FEATURES,
) -> Iterator[Round]:
    """The rankers after each round of training.

    max_features: how many weights they keep, the largest ones; None for all.
    """
    for number in range(1, n_rounds + 1):
        n_pairs, n_updates = trainer.train(training)
        ranker = trainer.freeze(max_features=max_features)
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


def best_round(found: Iterator[Round], *, by_mixture: bool = True) -> Round:
    """The round with the smallest loss on the development data; of equals the first.

    by_mixture: whether that is the loss of the mixture, or of the ranker alone.

    Raises ValueError when there is no round.
    """
    best = min(
        found, key=lambda r: r.mixture_loss if by_mixture else r.loss, default=None
    )
    if best is None:
        raise ValueError("a ranker needs at least one round of training")
    return best
