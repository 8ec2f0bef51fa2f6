# cython: boundscheck=False, wraparound=False
"""Anything that scores the actions for a set of feature keys."""


cdef class Scoring:
    """Scores the actions for a set of features in two steps.

    While the memory arrives that the second step needs, another scoring can do its
    first step.
    """

    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Look up the keys of a set of features, which stay where they are."""

    cdef void write(self, float* scores) noexcept nogil:
        """Set scores[a] = w . phi(keys, a) for every action a."""

    cdef int best(self, const float* mask, float* score) noexcept nogil:
        """The action with the largest score of those where `mask` is 0 and not minus
        infinity, the first of equals; -1 if there is none.

        Args:
            score: Set to that of the action.
        """
        return -1


cdef class Scorer:
    """Base class of weights: those of learners, and frozen ones."""

    cdef int n_actions(self) noexcept nogil:
        """The number of actions it has weights for."""
        return 0

    cdef int n_scores(self) noexcept nogil:
        return 0

    cdef void prepare(self) noexcept nogil:
        """Called before a series of scores, during which nothing changes."""

    cdef Scoring new_scoring(self):
        """An object that scores the actions for one set of features at a time."""
        return Scoring()
