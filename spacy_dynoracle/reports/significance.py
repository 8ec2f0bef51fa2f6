"""How sure results are: the randomised permutation test of two systems on the same
sentences (Yeh 2000), and the bootstrap.
"""

import numpy as np
import numpy.typing as npt

from ..util.arrays import FloatArray

REPETITIONS = 10_000
# Test sets that are drawn for an interval, and its per cent.
DRAWS, LEVEL = 1000, 95.0
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
        repetitions: At least 1.
    """
    values = np.asarray(differences, dtype=np.float64)
    # Sentences with differences of the same size are alike: a binomial number of them
    # favours the first system. There are few sizes and many sentences.
    sizes, counts = np.unique(np.abs(values), return_counts=True)
    first = np.random.default_rng(seed).binomial(counts, 0.5, (repetitions, len(sizes)))
    sums = np.abs((2 * first - counts) @ sizes)
    n_extreme = np.count_nonzero(sums >= abs(values.sum()) - TOLERANCE)
    return (int(n_extreme) + 1) / (repetitions + 1)


def bootstrap(
    counts: npt.ArrayLike, *, draws: int = DRAWS, seed: int = 0
) -> FloatArray:
    """Sums over units that are drawn with replacement, as many as there are.

    Args:
        counts: Rows of counts, with a column for each unit, such as a sentence.

    Returns:
        For each row the sums of all draws.
    """
    values = np.asarray(counts, dtype=np.float64)
    n = values.shape[1]
    generator = np.random.default_rng(seed)
    sums = np.empty((len(values), draws))
    for i in range(draws):
        times = np.bincount(generator.integers(0, n, n), minlength=n)
        # The threads of a product of matrices would wait for one another.
        sums[:, i] = np.einsum("ij,j->i", values, times.astype(np.float64))
    return sums
