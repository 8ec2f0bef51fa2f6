from ..learners.base cimport Decision
from ..random cimport Random
from ..systems.actions cimport Actions, ScoredTransition


cdef class Exploration:
    # Whether it needs to know which actions are legal.
    cdef readonly bint samples

    cdef bint explores(self)
    cdef ScoredTransition next_action(
        self, Actions actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil
