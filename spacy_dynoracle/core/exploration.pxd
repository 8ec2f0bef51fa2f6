from .random cimport Random


cdef class Exploration:
    cdef bint explores(self)
    cdef int next_action(
        self, int predicted, int target, bint is_correct, int iteration, Random random
    ) noexcept nogil
