from libc.stdint cimport int64_t, uint64_t

from ..weights.frozen cimport FineRounding, Smallest
from ..weights.training_rows cimport TrainingRows
from .base cimport Decision, Learner


cdef extern from "learners/averaged_perceptron.hpp" namespace "dynoracle" nogil:
    cdef cppclass CurrentWeight:
        CurrentWeight()

    cdef cppclass AveragedWeight:
        double n_decisions
        FineRounding fine


ctypedef TrainingRows[float, double] PerceptronRows


cdef class AveragedPerceptron(Learner):
    cdef PerceptronRows* rows
    cdef readonly int64_t n_decisions
    cdef double largest
    cdef AveragedWeight average
    cdef double prune
    cdef Smallest smallest
    # Whether a weight or an average has changed since `smallest` was set.
    cdef bint has_changed

    cdef void add(self, uint64_t key, int action, float delta) noexcept nogil
