"""Known lemmas."""
from libc.stdint cimport uint64_t
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector


cdef extern from "lemmas/cpp/tables.hpp" namespace "dynoracle" nogil:
    cdef cppclass Counts:
        void reset(size_t n_keys) except +
        void add(uint64_t key) except +
        bint exceeds(uint64_t key, int n)
        vector[uint64_t] keys() except +


cdef class KnownLemmas:
    # How many pairs of a lower-cased form and a part of speech have a lemma.
    cdef Counts counts
    # The pairs with their lemmas; only training needs them.
    cdef unordered_set[uint64_t] own

    cdef int flags(self, uint64_t form, uint64_t pos, uint64_t lemma) noexcept nogil
