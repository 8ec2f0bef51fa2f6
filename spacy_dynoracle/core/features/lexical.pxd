"""Hashes of the characters of texts."""
from libc.stdint cimport uint64_t


cdef extern from "hashing.hpp" namespace "dynoracle" nogil:
    uint64_t next_hash(uint64_t hash, uint64_t character) noexcept


cdef uint64_t hash_text(str text, Py_ssize_t start, Py_ssize_t end, uint64_t seed)
