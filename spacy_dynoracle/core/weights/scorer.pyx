# cython: boundscheck=False, wraparound=False
"""Anything that scores the actions for a set of feature keys."""
from libc.stdint cimport uint64_t


cdef class Scorer:
    """Base class: gives every action the score 0."""

    cdef int n_actions(self) noexcept nogil:
        """The number of actions it has weights for."""
        return 0

    cdef int n_scores(self) noexcept nogil:
        return 0

    cdef void prepare(self) noexcept nogil:
        """Called before a series of `score`, during which nothing changes."""

    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil:
        """Set scores[a] = w . phi(keys, a) for every action a."""

    cdef int best(
        self,
        const uint64_t* keys,
        int n_keys,
        const float* mask,
        float* scores,
        float* score,
    ) noexcept nogil:
        """The action with the largest score of those where `mask` is 0 and not minus
        infinity, the first of equals; -1 if there is none.

        scores: room for all scores, which need not be written. score: set to that of
            the action.
        """
        cdef int found
        self.score(keys, n_keys, scores)
        found = argmax(scores, mask, self.n_scores())
        if found >= 0:
            score[0] = scores[found]
        return found
