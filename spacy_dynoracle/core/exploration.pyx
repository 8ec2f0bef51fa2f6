# cython: boundscheck=False, wraparound=False
"""Exploration policies: which action training follows after a wrong prediction."""
from .random cimport Random


cdef class Exploration:
    """A policy.

    predicted: the legal action with the highest score. target: the correct action with
    the highest score. iteration: 1 for the first pass over the data.
    """

    cdef bint explores(self):
        """Whether training can leave the configurations of gold derivations."""
        return False

    cdef int next_action(
        self, int predicted, int target, bint is_correct, int iteration, Random random
    ) noexcept nogil:
        return predicted if is_correct else target

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"


cdef class NoExploration(Exploration):
    """Always follow the oracle: training of Goldberg & Nivre (2013), algorithm 2."""


cdef class ErrorExploration(Exploration):
    """Follow wrong predictions with probability p, from iteration k + 1 on.

    k: iterations that follow the oracle, >= 0. p: probability, 0 <= p <= 1.

    Raises ValueError for other values.

    Source: Goldberg & Nivre 2013, algorithm 3 (EXPLORE).
    """

    cdef readonly int k
    cdef readonly double p

    def __cinit__(self, k=1, p=0.9):
        if k < 0 or k != int(k):
            raise ValueError(
                f"exploration k = {k!r}: expected the number of iterations without "
                f"exploration, an integer >= 0"
            )
        if not 0 <= p <= 1:
            raise ValueError(
                f"exploration p = {p!r}: expected a probability between 0 and 1"
            )
        self.k = k
        self.p = p

    cdef bint explores(self):
        return self.p > 0

    cdef int next_action(
        self, int predicted, int target, bint is_correct, int iteration, Random random
    ) noexcept nogil:
        if is_correct:
            return predicted
        if iteration > self.k and random.uniform() < self.p:
            return predicted
        return target

    def __reduce__(self):
        return ErrorExploration, (self.k, self.p)

    def __repr__(self):
        return f"ErrorExploration(k={self.k}, p={self.p})"
