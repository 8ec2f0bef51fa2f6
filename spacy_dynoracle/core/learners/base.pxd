from libc.stdint cimport uint64_t

from ..systems.actions cimport ScoredTransition
from ..weights.scorer cimport Scorer

# Actions that share a feature vector. The flags say which of them are correct and,
# where somebody asks for it, which are legal.
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
    cdef void prepare_frozen(self) noexcept nogil
    cdef void score_frozen(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil


cdef class FrozenView(Scorer):
    cdef readonly Learner learner
