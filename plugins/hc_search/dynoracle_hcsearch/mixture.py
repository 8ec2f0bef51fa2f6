"""The mixture of the scores of search and ranker, and the choice of its weight.

Source: Liu et al. 2015, section 4.5; the step of the grid is that of their program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STEP = 0.005
GRID: Floats = STEP * np.arange(round(1 / STEP) + 1, dtype=np.float64)


class Scored(NamedTuple):
    """The scores and losses of the candidates of one sentence.

    Attributes:
        search, ranker: Scores of search and ranker, float64 of shape (k,).
        losses: int32 of shape (k,).
    """

    search: Floats
    ranker: Floats
    losses: npt.NDArray[np.int32]


def rescaled(scores: Floats) -> Floats:
    """Scale the scores of the candidates of one sentence to the range 0 to 1.

    Equal scores all become 0.
    """
    low = scores.min()
    span = scores.max() - low
    return (scores - low) / span if span > 0 else np.zeros_like(scores)


def mixture(search: Floats, ranker: Floats, alpha: float | Floats) -> Floats:
    """Mix the scores that search and ranker give the candidates of one sentence.

    Args:
        alpha: Share of the score of the search, or an array of shares of shape (n, 1).
            For an array the result has the shape (n, k).
    """
    mixed: Floats = alpha * rescaled(search) + (1 - alpha) * rescaled(ranker)
    return mixed


def choices(search: Floats, ranker: Floats, alphas: Floats) -> Ints:
    """The best candidate of one sentence for each share of the score of the search.

    Among equal candidates the highest score of the search wins, then the first
    candidate.

    Returns:
        int64 of shape (n alphas,).
    """
    # The sort is stable, so that argmax takes the first of equal candidates.
    order = np.argsort(-search, kind="stable")
    mixed = mixture(search, ranker, alphas[:, None])
    chosen: Ints = order[mixed[:, order].argmax(axis=1)]
    return chosen


def best_alpha(sentences: Sequence[Scored]) -> tuple[float, int]:
    """Find the share of the score of the search, on the grid 0, 0.005 ..

    1, that has the smallest total loss on the sentences. The smallest share wins a tie.

    Sentences without a candidate are left out.

    Returns:
        (share, loss).
    """
    totals = np.zeros(len(GRID), dtype=np.int64)
    for sentence in sentences:
        if len(sentence.search):
            chosen = choices(sentence.search, sentence.ranker, GRID)
            totals += sentence.losses[chosen]
    best = int(totals.argmin())
    return float(GRID[best]), int(totals[best])
