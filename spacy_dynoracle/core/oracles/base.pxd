from ..configuration cimport ConfigurationC
from ..gold cimport Gold
from ..systems.base cimport TransitionSystem


cdef class Oracle:
    cdef readonly bint complete
    cdef readonly bint needs_full_tree

    cdef int prepare(self, TransitionSystem system) except -1
    cdef unsigned int correct_set(
        self,
        TransitionSystem system,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) noexcept nogil


cdef unsigned int cheapest(
    TransitionSystem system,
    const ConfigurationC* c,
    const Gold* gold,
    unsigned int legal,
) noexcept nogil
