"""The random numbers of training."""
from libc.stdint cimport uint64_t
from libcpp.random cimport mt19937_64


cdef class Random:
    cdef mt19937_64 engine

    cdef double uniform(self) noexcept nogil
    cdef uint64_t below(self, uint64_t n) noexcept nogil
