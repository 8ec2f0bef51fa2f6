from ..learners.base cimport Decision, Pick
from ..random cimport Random


cdef class Exploration:
    # Whether it needs to know which actions are legal.
    cdef readonly bint samples

    cdef bint explores(self)
    cdef Pick next_action(
        self, int n_actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil
