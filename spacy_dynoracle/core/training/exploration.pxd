from ..learners.base cimport Decision
from ..random cimport Random
from ..systems.actions cimport Actions, ScoredTransition


cdef class Exploration:
    # Whether training can reach configurations outside the gold derivations.
    cdef readonly bint explores
    # Whether it draws from probabilities.
    cdef readonly bint samples

    cdef ScoredTransition next_action(
        self, Actions actions, const Decision* decision, int iteration, Random random
    ) noexcept nogil
