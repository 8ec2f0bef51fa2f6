"""The bottom of the stack of arc-standard, which waits for ROOT."""
from libcpp.vector cimport vector

from ..state.gold cimport Gold


# What is known of the nodes of a stack up to a place.
cdef struct Bottom:
    # Where the nodes end that are left for ROOT, and the number of wrong arcs from ROOT
    # to them.
    int end
    int n_lost
    # The number of wrong arcs from ROOT to all of the nodes.
    int n_wrong
    # Over all places so far, the least of (words that lose ROOT) - (words that can win
    # their heads), counted from there.
    int least


cdef class StackBottom:
    # The stack that was looked at last, and what is known up to each place of it.
    cdef vector[int] seen
    cdef vector[Bottom] bottoms

    cdef void forget(self) noexcept nogil
    cdef int leave(self, vector[int]& stack, const Gold* gold, int* end) except -1 nogil
