"""Anything that scores the actions for a set of feature keys."""
from libc.stdint cimport uint64_t


cdef class Scorer:
    cdef int n_actions(self) noexcept nogil
    # Number of entries in a score array: the actions, rounded up.
    cdef int n_scores(self) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil
