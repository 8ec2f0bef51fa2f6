"""The finder of the parts of trees."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from ..core.state.sentence cimport SentenceC
from .trees cimport Tree

# The kinds of parts, in the order of `KINDS` in templates.py.
cdef enum:
    ARC
    SIBLING
    TRISIBLING
    GRANDPARENT
    GREATGRANDPARENT
    GRANDSIBLING
    SIBLING_RIGHT
    SIBLING_LEFT
    BIGRAM
    PREPOSITION
    CASE
    SPAN
    VALENCY
    LABELS
    CHILDREN
    END
    NEIGHBOURS
    COORDINATION
    CONJUNCT
    PAIR
    RIGHTBRANCH
    # A kind plus this number is the kind with its labels.
    N_KINDS

cdef extern from "parts.hpp" namespace "dynoracle" nogil:
    cdef cppclass Part:
        int32_t kind
        int32_t[4] nodes
        float amount
        uint64_t[3] values

    cdef cppclass PartTable:
        vector[Part] parts
        vector[uint32_t] numbers
        vector[size_t] ends
        void clear()
        void add(const Part& part) except +
        void end_tree() except +
        size_t start(size_t tree)


cdef class TreeWorkspace:
    """The memory for finding parts. Each thread has its own workspace."""
    cdef PartTable table
    # Of the distinct parts, and of the trees.
    cdef vector[double] scores
    cdef vector[double] tree_scores
    cdef Tree tree
    cdef vector[int] partners
    cdef vector[char] classes
    cdef vector[uint64_t] stamps
    cdef uint64_t stamp


cdef class PartFinder:
    cdef readonly object templates
    cdef readonly tuple columns
    cdef readonly object classes
    cdef readonly int n_columns
    cdef int word_column
    cdef int tag_column
    cdef bint[2 * N_KINDS] wanted
    cdef vector[uint64_t] prepositions
    cdef vector[uint64_t] punctuation
    cdef vector[uint64_t] conjunctions
    cdef vector[uint64_t] openings
    cdef vector[uint64_t] closings

    cdef int begin(self, const SentenceC* sentence, TreeWorkspace work) except -1 nogil
    cdef int add_tree(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        TreeWorkspace work,
    ) except -1 nogil
    cdef int atoms_of(self, codes, int column, vector[uint64_t]& atoms) except -1
    cdef void look_at_words(
        self, const SentenceC* sentence, TreeWorkspace work
    ) noexcept nogil
    cdef int add_chains(self, int m, TreeWorkspace work) except -1 nogil
    cdef int add_node(self, int m, TreeWorkspace work) except -1 nogil
    cdef int add_label_sets(self, int k, TreeWorkspace work) except -1 nogil
    cdef int add_others(self, int m, TreeWorkspace work) except -1 nogil
    cdef int add_right_branch(self, TreeWorkspace work) except -1 nogil
    cdef int add(
        self, TreeWorkspace work, int kind, int a, int b, int c, int d, uint64_t labels
    ) except -1 nogil
    cdef int add_values(
        self, TreeWorkspace work, int kind, int k, uint64_t a, uint64_t b, uint64_t c
    ) except -1 nogil
