"""64-bit mixing of feature atoms."""
from libc.stdint cimport uint64_t


cdef inline uint64_t mix(uint64_t x) noexcept nogil:
    """A bijection whose output bits depend on all input bits (splitmix64 finaliser,
    Steele, Lea & Flood 2014); no value but 0 is mapped to 0."""
    x ^= x >> 30
    x *= <uint64_t>0xBF58476D1CE4E5B9
    x ^= x >> 27
    x *= <uint64_t>0x94D049BB133111EB
    x ^= x >> 31
    return x
