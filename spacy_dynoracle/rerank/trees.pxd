"""The nodes of candidate trees."""
from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector

cdef enum:
    # Three labels, including the value for no label, fit into 64 bits.
    LABEL_BITS = 20

# One node of a tree.
cdef struct TreeNode:
    int head
    int label
    # Neighbours among the dependents of the same head on the same side; 0 for none.
    int before
    int after
    # The last one of the left and of the right dependents; 0 for none.
    int last_left
    int last_right
    # Dependents, all of them and without punctuation.
    int n_left
    int n_right
    int words_left
    int words_right
    # Dependents whose own subtrees have not been added up yet.
    int pending
    # The subtree: words without punctuation, first and last word.
    int size
    int low
    int high
    uint64_t tags


cdef class Tree:
    cdef int length
    cdef vector[TreeNode] nodes
    # Of each word: the atom of its tag, and whether it is a word and not punctuation.
    cdef vector[uint64_t] tags
    cdef vector[char] is_word
    cdef vector[int] agenda

    cdef int begin(self, int length) except -1 nogil
    cdef int link(
        self, size_t number, const int32_t* heads, const int32_t* labels
    ) except -1 nogil
    cdef int check_arc(
        self, size_t number, int k, int head, int label
    ) except -1 nogil
    cdef void attach(self, int k, int h, int label) noexcept nogil
    cdef bint add_up(self) noexcept nogil
