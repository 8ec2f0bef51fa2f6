"""The randomised permutation test of two systems on the same sentences (Yeh 2000)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

REPETITIONS = 10_000
# Differences of shares are sums of floats; permutations that differ only in the order
# of summation count as equal.
TOLERANCE = 1e-12


def permutation_test(
    differences: npt.ArrayLike, *, repetitions: int = REPETITIONS, seed: int = 0
) -> float:
    """The probability of a difference as large as the observed one between two systems
    that do not differ: (count + 1) / (repetitions + 1).

    Args:
        differences: For each sentence, the score of one system minus that of the other,
            such as the number of correct heads. To test the average over treebanks,
            divide it by the number of words of the treebank. Each repetition swaps the
            outputs for each sentence with probability 1/2. A repetition counts if its
            sum is at least as far from zero as the observed sum. For several seeds,
            pass the differences of all seeds, each between two runs with the same seed.

    Raises:
        ValueError: If `repetitions` is less than 1.
    """
    if repetitions < 1:
        raise ValueError(f"{repetitions} repetitions: expected at least 1")
    values = np.asarray(differences, dtype=np.float64)
    # Sentences with differences of the same size are alike: a binomial number of them
    # favours the first system. There are few sizes and many sentences.
    sizes, counts = np.unique(np.abs(values), return_counts=True)
    first = np.random.default_rng(seed).binomial(counts, 0.5, (repetitions, len(sizes)))
    sums = np.abs((2 * first - counts) @ sizes)
    n_extreme = np.count_nonzero(sums >= abs(values.sum()) - TOLERANCE)
    return (int(n_extreme) + 1) / (repetitions + 1)
