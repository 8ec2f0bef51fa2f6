# cython: boundscheck=False, wraparound=False
"""Exploration policies: which action training follows after a wrong prediction."""
from libc.math cimport INFINITY

from ..learners.base cimport Alternatives, Decision, Pick
from ..random cimport Random
from ..softmax cimport LogSum, add_to, share_of


cdef class Exploration:
    """A policy: which action training takes next, given the decision it has before it
    and the iteration, 1 for the first pass over the data."""

    cdef bint explores(self):
        """Whether training can leave the configurations of gold derivations."""
        return False

    cdef Pick next_action(
        self, int n_actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil:
        return decision.predicted if decision.is_correct else decision.target

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
        check_k(k)
        if not 0 <= p <= 1:
            raise ValueError(
                f"exploration p = {p!r}: expected a probability between 0 and 1"
            )
        self.k = k
        self.p = p

    cdef bint explores(self):
        return self.p > 0

    cdef Pick next_action(
        self, int n_actions, const Decision* decision, int iteration, Random random
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
    k + 1 on; the best correct one before.

    k: iterations that follow the oracle, >= 0.

    Raises ValueError for other values.

    Source: Goldberg 2013, algorithm 3 and footnote 4.
    """

    cdef readonly int k

    def __cinit__(self, k=0):
        check_k(k)
        self.k = k
        self.samples = True

    cdef bint explores(self):
        return True

    cdef Pick next_action(
        self, int n_actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil:
        if iteration <= self.k:
            return decision.target
        return sample(n_actions, decision, random.uniform())

    def __reduce__(self):
        return SamplingExploration, (self.k,)

    def __repr__(self):
        return f"SamplingExploration(k={self.k})"


cdef int check_k(k) except -1:
    """Raise ValueError unless k is a number of iterations."""
    if k < 0 or k != int(k):
        raise ValueError(
            f"exploration k = {k!r}: expected the number of iterations without "
            f"exploration, an integer >= 0"
        )
    return 0


cdef Pick sample(int n_actions, const Decision* decision, double u) noexcept nogil:
    """The legal action at the share u of the way through the distribution."""
    cdef LogSum legal = LogSum(largest=-INFINITY, mass=0)
    cdef const Alternatives* row
    cdef Pick pick = decision.predicted
    cdef int r, a
    for r in range(decision.n_rows):
        row = &decision.rows[r]
        for a in range(n_actions):
            if row.legal[a]:
                add_to(&legal, row.scores[a])
    for r in range(decision.n_rows):
        row = &decision.rows[r]
        for a in range(n_actions):
            if row.legal[a]:
                u -= share_of(legal, row.scores[a])
                if u < 0:
                    pick.row = r
                    pick.action = a
                    return pick
    # Only rounding leads here.
    return pick
