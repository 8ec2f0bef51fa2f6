from ..state.configuration cimport ConfigurationC
from ..state.gold cimport Gold, GoldTree
from ..systems.base cimport Costs, TransitionSystem


cdef class Oracle:
    cdef unsigned int correct_set(
        self,
        Costs costs,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) except? 0 nogil


cdef int check_tree(TransitionSystem system, Oracle oracle, GoldTree gold) except -1
