# cython: boundscheck=False, wraparound=False
"""The random numbers of training.

One seeded generator for a whole training run; nothing else draws from it. The engine
is the standard 64-bit Mersenne twister, whose output is the same on every platform;
numbers are derived from it here because the standard leaves its distributions open.
"""


cdef class Random:
    """A generator of random numbers.

    Args:
        seed: Any integer; the same seed gives the same numbers.
    """

    def __cinit__(self, seed=0):
        self.engine = mt19937_64(<uint64_t>(int(seed) & 0xFFFFFFFFFFFFFFFF))

    cdef double uniform(self) noexcept nogil:
        """A number in [0, 1) with 53 random bits."""
        return <double>(self.engine() >> 11) * (1.0 / 9007199254740992.0)

    cdef uint64_t below(self, uint64_t n) noexcept nogil:
        """An integer in 0..n-1, all equally likely; n > 0."""
        cdef uint64_t limit = <uint64_t>-1 - (<uint64_t>-1 % n + 1) % n
        cdef uint64_t x = self.engine()
        while x > limit:
            x = self.engine()
        return x % n

    def shuffle(self, list items not None: list[Any]) -> None:
        """Shuffle a list in place (Fisher & Yates)."""
        cdef Py_ssize_t i
        cdef uint64_t j
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
