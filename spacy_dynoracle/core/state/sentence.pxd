"""Sentences as the core sees them: a matrix of feature atoms."""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

cdef struct SentenceC:
    int length
    int n_columns
    # Row k holds the atoms of node k; row -1 (no node) is all NULL.
    const uint64_t* atoms


cdef class Sentence:
    cdef SentenceC c
    cdef vector[uint64_t] block
