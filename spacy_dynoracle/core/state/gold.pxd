"""Gold trees, possibly partial, indexed for the cost functions."""
from libcpp.vector cimport vector

cdef enum:
    UNKNOWN = -1

cdef struct Gold:
    int length
    int* head
    int* label
    # The dependents of k are dependents[first[k] : first[k + 1]], ascending.
    int* first
    int* dependents
    # The projective order: ranks in the in-order traversal of the tree, ROOT last;
    # in a partial tree the order of the words.
    int* rank
    # For each word the least rank of the words from there on.
    int* least_rank


cdef inline bint is_gold(const Gold* gold, int head, int dependent) noexcept nogil:
    return gold.head[dependent] == head


cdef inline bint is_wrong(const Gold* gold, int head, int dependent) noexcept nogil:
    """delta: 1 if an arc contradicts the gold tree."""
    return gold.head[dependent] != UNKNOWN and gold.head[dependent] != head


cdef class GoldTree:
    cdef Gold gold
    cdef vector[int] block
    cdef readonly object inventory  # type: Labels
    cdef readonly bint projective
    cdef readonly int n_known

    cdef int _allocate(self, int n) except -1
