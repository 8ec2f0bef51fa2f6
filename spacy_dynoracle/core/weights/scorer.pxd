"""Anything that scores the actions for a set of feature keys."""
from libc.stdint cimport uint64_t

cdef extern from "weights/cpp/argmax.hpp" namespace "dynoracle" nogil:
    int argmax(const float* scores, const float* mask, int n)


cdef class Scoring:
    cdef void begin(self, const uint64_t* keys, int n_keys) noexcept nogil
    cdef void write(self, float* scores) noexcept nogil
    cdef int best(self, const float* mask, float* score) noexcept nogil


cdef class Scorer:
    cdef int n_actions(self) noexcept nogil
    # Number of entries in a score array: the actions, rounded up.
    cdef int n_scores(self) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef Scoring new_scoring(self)
