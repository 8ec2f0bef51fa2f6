# cython: boundscheck=False, wraparound=False
"""Exploration policies, which choose the action that training follows."""
from libc.math cimport INFINITY

from ..learners.base cimport Alternatives
from ..softmax cimport LogSum, add_to, share_of


MAX_ITERATION = 2 ** 31 - 1  # type: int


cdef class Exploration:
    """A policy that chooses the next action of training from the current decision and
    the iteration, counted from 1.
    """

    cdef ScoredTransition next_action(
        self, Actions actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil:
        return decision.predicted if decision.is_correct else decision.target

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"


cdef class NoExploration(Exploration):
    """Always follow the oracle, as in algorithm 2 of Goldberg & Nivre (2013)."""


cdef class ErrorExploration(Exploration):
    """Follow wrong predictions with probability p, from iteration k + 1 on.

    Source: Goldberg & Nivre 2013, algorithm 3 (EXPLORE).

    Args:
        k: Number of first iterations that follow the oracle, >= 0.
        p: Probability, 0 <= p <= 1.

    Raises:
        ValueError: For other values.
    """

    cdef readonly int k
    cdef readonly double p

    def __cinit__(self, k=1, p=0.9):
        check_k(k)
        if not 0 <= p <= 1:
            raise ValueError(
                f"exploration p = {p!r}: expected a probability between 0 and 1"
            )
        self.k = k
        self.p = p
        self.explores = p > 0

    cdef ScoredTransition next_action(
        self, Actions actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil:
        if decision.is_correct:
            return decision.predicted
        if iteration > self.k and random.uniform() < self.p:
            return decision.predicted
        return decision.target

    def __reduce__(self):
        return ErrorExploration, (self.k, self.p)

    def __repr__(self):
        return f"ErrorExploration(k={self.k}, p={self.p})"


cdef class SamplingExploration(Exploration):
    """Draw the next action from the probabilities of the legal actions, from iteration
    k + 1 on. Before that, take the best correct action.

    Source: Goldberg 2013, algorithm 3 and footnote 4.

    Args:
        k: Number of first iterations that follow the oracle, >= 0.

    Raises:
        ValueError: For other values.
    """

    cdef readonly int k

    def __cinit__(self, k=0):
        check_k(k)
        self.k = k
        self.explores = self.samples = True

    cdef ScoredTransition next_action(
        self, Actions actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil:
        if iteration <= self.k:
            return decision.target
        return sample(actions, decision, random.uniform())

    def __reduce__(self):
        return SamplingExploration, (self.k,)

    def __repr__(self):
        return f"SamplingExploration(k={self.k})"


cdef int check_k(k) except -1:
    """Raise ValueError unless k is an integer from 0 to MAX_ITERATION."""
    if not 0 <= k <= MAX_ITERATION or k != int(k):
        raise ValueError(
            f"exploration k = {k!r}: expected the number of iterations without "
            f"exploration, an integer from 0 to {MAX_ITERATION}"
        )
    return 0


cdef ScoredTransition sample(
    Actions actions, const Decision* decision, double u
) noexcept nogil:
    """The legal action at which the cumulative distribution passes u."""
    cdef LogSum legal = LogSum(largest=-INFINITY, mass=0)
    cdef const Alternatives* row
    cdef int r, a
    for r in range(decision.n_rows):
        row = &decision.rows[r]
        for a in range(actions.n):
            if row.legal[a]:
                add_to(&legal, row.scores[a])
    for r in range(decision.n_rows):
        row = &decision.rows[r]
        for a in range(actions.n):
            if row.legal[a]:
                u -= share_of(legal, row.scores[a])
                if u < 0:
                    return actions.scored(r, a, row.scores)
    # Only a rounding error leads here.
    return decision.predicted
