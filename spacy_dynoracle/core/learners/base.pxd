from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..systems.actions cimport ScoredTransition
from ..weights.scorer cimport Scorer, Scoring

# Actions that share a feature vector. The flags say which of them are correct and which
# are legal.
cdef struct Alternatives:
    const uint64_t* keys
    int n_keys
    const float* scores
    const char* correct
    const char* legal


# What there is to choose from in a configuration. One row of actions, except in
# easy-first, where each pair of neighbours has its own.
cdef struct Decision:
    int n_rows
    const Alternatives* rows
    ScoredTransition predicted
    ScoredTransition target
    bint is_correct


cdef class Learner(Scorer):
    cdef readonly bint is_probabilistic
    cdef readonly double margin
    # The number of actions.
    cdef int size

    cdef void update(self, const Decision* decision) noexcept nogil
    cdef void skip(self) noexcept nogil
    cdef void score(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil
    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil


cdef class LearnerScoring(Scoring):
    cdef Learner learner
    cdef bint is_frozen
    cdef const uint64_t* keys
    cdef int n_keys
    cdef vector[float] scores
