"""Fitting a temperature: the number that scores are divided by to give probabilities.

P(a) = exp(s_a / T) / sum over the legal a' of exp(s_a' / T). The temperature changes no
greedy parse, only the certainty of the parser. It is chosen on held-out data so that
the sets of correct actions become as probable as possible (maximum likelihood).
"""

from collections.abc import Callable, Sequence
from math import exp, log

import numpy as np
import numpy.typing as npt

from ..util.arrays import BoolArray
from ..util.extras import needs_extra

# Of the typical distance between the best and the worst score.
LOWEST, HIGHEST = 1e-4, 1e2
GRID = 61
TOLERANCE = 1e-6


class ScoredDecisions:
    """Decisions with the scores of their legal actions, and which actions are correct.

    Args:
        scores, correct_sets: One array for each decision, as `decisions` returns them.
            Decisions in which every action is correct, or none, are left out: the
            temperature does not change their probability.
    """

    def __init__(
        self,
        scores: Sequence[npt.NDArray[np.float32]],
        correct_sets: Sequence[BoolArray],
    ) -> None:
        telling = [
            (values, correct)
            for values, correct in zip(scores, correct_sets, strict=True)
            if correct.any() and not correct.all()
        ]
        self.count = len(telling)
        if not telling:
            return
        lengths = [len(values) for values, _ in telling]
        flat = np.concatenate([values for values, _ in telling]).astype(np.float64)
        correct = np.concatenate([flags for _, flags in telling])
        self._first = np.cumsum([0, *lengths[:-1]])
        best = np.maximum.reduceat(flat, self._first)
        worst = np.minimum.reduceat(flat, self._first)
        self.spread = float(np.median(best - worst))
        # Relative to the best of all and to the best of the correct ones: no
        # exponential overflows, and no sum vanishes.
        self._scores = flat - np.repeat(best, lengths)
        flat = np.where(correct, flat, -np.inf)
        best_correct = np.maximum.reduceat(flat, self._first)
        self._correct_scores = flat - np.repeat(best_correct, lengths)
        self._gap = best_correct - best

    def log_likelihood(self, temperature: float) -> float:
        """The mean log probability of the correct sets, in nats."""
        every = np.exp(self._scores / temperature)
        right = np.exp(self._correct_scores / temperature)
        return float(
            np.mean(
                self._gap / temperature
                + np.log(np.add.reduceat(right, self._first))
                - np.log(np.add.reduceat(every, self._first))
            )
        )


def fit_temperature(data: ScoredDecisions) -> float:
    """The temperature of the highest likelihood.

    A difference of two log-sums may have several local maxima: the search begins at the
    best point of a grid.

    Raises:
        ValueError: If there is no best temperature: without decisions, for a model that
            is always right (the lower the better) and for one that is worse than chance
            (the higher the better).
    """
    if data.count == 0 or data.spread == 0:
        raise ValueError("there is no decision whose probability a temperature changes")
    grid = np.geomspace(data.spread * LOWEST, data.spread * HIGHEST, GRID)
    values = [data.log_likelihood(t) for t in grid]
    best = int(np.argmax(values))
    if best == 0:
        raise ValueError("the parser makes no mistake there: more text is needed")
    if best == GRID - 1:
        raise ValueError("the scores of the parser say nothing about what is correct")
    low, high = log(grid[best - 1]), log(grid[best + 1])
    return exp(minimum(lambda x: -data.log_likelihood(exp(x)), low, high))


def minimum(
    f: Callable[[float], float], low: float, high: float, tolerance: float = TOLERANCE
) -> float:
    """The point between two points at which f is least, if it has one minimum there.

    Raises:
        MissingExtraError: Without SciPy.
    """
    with needs_extra("fitted temperatures", "eval"):
        from scipy.optimize import minimize_scalar
    found = minimize_scalar(
        f, bounds=(low, high), method="bounded", options={"xatol": tolerance}
    )
    return float(found.x)
