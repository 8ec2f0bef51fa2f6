# cython: boundscheck=False, wraparound=False
"""The bottom of the stack of arc-standard, which waits for ROOT."""
from libcpp.algorithm cimport binary_search

from ..state.configuration cimport ROOT
from ..state.gold cimport UNKNOWN, is_wrong


cdef class StackBottom:
    """Finds the nodes at the bottom of a stack that are at best left where they are
    until ROOT comes behind the last word and takes them all.

    A node is left for ROOT if to take it and all nodes above it away earlier would cost
    at least as many arcs from ROOT as it could win gold heads.

    A text of many sentences leaves the roots of all of them on the stack. What was
    found for a place depends on the nodes up to the place above it alone, so that only
    the top of the stack is looked at again.
    """

    cdef void forget(self) noexcept nogil:
        """Called before another gold tree."""
        self.seen.clear()

    cdef int leave(
        self, vector[int]& stack, const Gold* gold, int* end
    ) except -1 nogil:
        """Find out which nodes are left.

        Args:
            stack: Words, from the bottom to the top, which is not left.
            end: Set to the place behind the last one that is left.

        Returns:
            The number of wrong arcs from ROOT to them.
        """
        cdef int n_below = <int>stack.size() - 1
        cdef int n_same = 0
        cdef int last = min(n_below + 1, <int>self.seen.size())
        cdef int i
        while n_same < last and self.seen[n_same] == stack[n_same]:
            n_same += 1
        self.seen.assign(stack.begin(), stack.end())
        self.bottoms.resize(n_below + 1)
        self.bottoms[0] = Bottom(end=0, n_lost=0, n_wrong=0, least=0)
        for i in range(max(n_same - 1, 0), n_below):
            self.bottoms[i + 1] = self.bottoms[i]
            add_place(stack, i, gold, &self.bottoms[i + 1])
        end[0] = self.bottoms[n_below].end
        return self.bottoms[n_below].n_lost


cdef void add_place(
    vector[int]& stack, int i, const Gold* gold, Bottom* bottom
) noexcept nogil:
    """Add the node in a place to what is known of those below it."""
    cdef int k = stack[i]
    cdef int head = gold.head[k]
    bottom.n_wrong += is_wrong(gold, ROOT, k)
    bottom.least = min(bottom.least, 0)
    if head == UNKNOWN:
        return
    if head != ROOT:
        bottom.least -= not is_passed(stack, i, head)
        return
    if are_passed(stack, i, gold):
        bottom.least += 1
        if bottom.least >= 0:
            bottom.end = i + 1
            bottom.n_lost = bottom.n_wrong


cdef bint are_passed(vector[int]& stack, int i, const Gold* gold) noexcept nogil:
    """Whether all gold dependents of the node in a place are gone for certain."""
    cdef int k = stack[i]
    cdef int j
    for j in range(gold.first[k], gold.first[k + 1]):
        if not is_passed(stack, i, gold.dependents[j]):
            return False
    return True


cdef bint is_passed(vector[int]& stack, int i, int k) noexcept nogil:
    """Whether a word is gone for certain, as the stack up to the place above the i-th
    one tells: it belongs between two nodes there.
    """
    if k > stack[i]:
        return k < stack[i + 1]
    return not binary_search(stack.begin(), stack.begin() + i, k)
