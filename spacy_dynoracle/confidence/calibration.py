"""Whether probabilities can be trusted: calibration.

An *item* is a prediction with a probability, its *value*, that is correct or not: a
transition, a head, a labelled arc. Probabilities are calibrated if the share v of the
items with the value v is correct.

Source of the bins: Goldberg 2013, section 4, table 4.
"""

from dataclasses import dataclass

import numpy as np

from ..util.arrays import BoolArray, FloatArray

# Bin b holds the values in [b, b + 0.1), bin 1.0 the value 1. The paper begins at 0.1.
BINS = tuple(i / 10 for i in range(11))


@dataclass(frozen=True)
class Bin:
    """The items whose values are in one bin.

    Attributes:
        start: Least value of the bin.
        count: Number of items.
        accuracy: Share of the items that is correct.
        mean: Mean of their values. accuracy and mean are 0 if there is no item.
    """

    start: float
    count: int
    accuracy: float
    mean: float


@dataclass(frozen=True)
class Calibration:
    """How well values agree with what was correct. Fractions of 1.

    Attributes:
        count: Number of items.
        accuracy: Share of the items that is correct.
        mean: Mean of their values.
        error: The expected calibration error, the mean over the items of the distance
            between accuracy and mean value in their bin.
        brier: The mean squared distance between the value and 1 (correct) or 0.
        log_likelihood: The mean log probability of the right answer, in nats, over the
            items where it is possible.
        n_impossible: The number of other items.
        bins: In the order of BINS.
    """

    count: int
    accuracy: float
    mean: float
    error: float
    brier: float
    log_likelihood: float
    n_impossible: int
    bins: tuple[Bin, ...]


def calibration(
    values: FloatArray, correct: BoolArray, log_likelihood: FloatArray
) -> Calibration:
    """The calibration of some items.

    Args:
        values: Probability of each item, 0 to 1.
        correct: Whether each item is correct.
        log_likelihood: For each item the log probability of the right answer, which
            need not be the item itself.
    """
    bins = _bins(np.minimum(values, 1), correct)
    possible = log_likelihood[np.isfinite(log_likelihood)]
    n = len(values)
    return Calibration(
        count=n,
        accuracy=_mean(correct),
        mean=_mean(values),
        error=sum(b.count * abs(b.accuracy - b.mean) for b in bins) / n if n else 0.0,
        brier=_mean((values - correct) ** 2),
        log_likelihood=_mean(possible),
        n_impossible=n - len(possible),
        bins=bins,
    )


def _bins(values: FloatArray, correct: BoolArray) -> tuple[Bin, ...]:
    # Comparing with the bounds puts 3 of 10 samples into the bin 0.3, as it should.
    number = np.searchsorted(BINS, values, side="right") - 1
    counts = np.bincount(number, minlength=len(BINS))
    hits = np.bincount(number, weights=correct, minlength=len(BINS))
    sums = np.bincount(number, weights=values, minlength=len(BINS))
    return tuple(
        Bin(start, int(n), hit / n if n else 0.0, total / n if n else 0.0)
        for start, n, hit, total in zip(
            BINS, counts.tolist(), hits.tolist(), sums.tolist(), strict=True
        )
    )


def _mean(values: FloatArray | BoolArray) -> float:
    return float(values.mean()) if len(values) else 0.0
