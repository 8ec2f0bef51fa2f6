from libc.stdint cimport int64_t, uint64_t

from ..systems.actions cimport ScoredTransition
from ..weights.frozen cimport FineRounding, Smallest
from .base cimport Decision, Learner


cdef extern from "learners/averaged_perceptron.hpp" namespace "dynoracle" nogil:
    cdef cppclass CurrentWeight:
        CurrentWeight()

    cdef cppclass AveragedWeight:
        double n_decisions
        FineRounding fine

    cdef struct Entry "dynoracle::PerceptronRows::Entry":
        float* hot
        double* cold

    cdef cppclass PerceptronRows:
        PerceptronRows(int n_actions, int min_updates) except +
        int stride()
        void resize(int n_actions) except +
        Entry entry(uint64_t key, int action)
        void add_scores[Value](
            const uint64_t* keys, int n_keys, float* scores, Value value
        )
        void add_frozen_scores[Value](
            const uint64_t* keys,
            int n_keys,
            int most_without_row,
            Smallest smallest,
            float* scores,
            Value value,
        )


cdef class AveragedPerceptron(Learner):
    cdef PerceptronRows* rows
    cdef readonly int64_t n_decisions
    cdef double largest
    cdef int size
    cdef AveragedWeight average
    cdef double prune
    cdef Smallest smallest
    # Whether a weight or an average has changed since `smallest` was set.
    cdef bint has_changed

    cdef void _add(self, uint64_t key, int action, float delta) noexcept nogil
    cdef void _add_all(
        self, const Decision* decision, ScoredTransition chosen, float delta
    ) noexcept nogil
