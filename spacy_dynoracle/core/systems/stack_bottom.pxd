"""The bottom of the stack of arc-standard, which waits for ROOT."""
from libcpp.vector cimport vector

from ..state.gold cimport UNKNOWN, Gold


# What is known of the nodes of a stack up to a place: where those end that are left
# for ROOT, the number of wrong arcs from ROOT to them and to all of the nodes, and the
# least difference (see `StackBottom`) that is counted from any of the places.
cdef struct Bottom:
    int end
    int n_lost
    int n_wrong
    int least


cdef inline bint is_wrong(const Gold* gold, int head, int dependent) noexcept nogil:
    """delta: 1 if an arc contradicts the gold tree."""
    return gold.head[dependent] != UNKNOWN and gold.head[dependent] != head


cdef class StackBottom:
    # The stack that was looked at last, and what is known up to each place of it.
    cdef vector[int] seen
    cdef vector[Bottom] bottoms

    cdef void forget(self) noexcept nogil
    cdef int leave(
        self, vector[int]& stack, const Gold* gold, int* end
    ) except -1 nogil
