from .averaged_perceptron cimport AveragedPerceptron


cdef class StructuredPerceptron(AveragedPerceptron):
    cdef readonly str rule
    cdef readonly str negative
    cdef bint only_on_fall_out
    cdef bint at_largest_violation
    cdef bint takes_worst
