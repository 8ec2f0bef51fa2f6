"""Hashing of feature atoms, and of the atoms of a feature to its key."""
from libc.stdint cimport uint64_t


cdef extern from "hashing.hpp" namespace "dynoracle" nogil:
    const int KEY_BITS
    uint64_t atom_factor(int place) noexcept
    uint64_t mix(uint64_t x) noexcept
