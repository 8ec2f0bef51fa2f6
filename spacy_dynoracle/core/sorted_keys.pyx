# cython: boundscheck=False, wraparound=False
"""Finding many keys among ascending ones."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.algorithm cimport lower_bound
from libcpp.vector cimport vector

import numpy as np

cdef enum:
    KEY_BITS = 64
    # There are at least 2**SPARE_BITS times as many beginnings as keys, so that few
    # keys begin alike.
    SPARE_BITS = 1


cdef class SortedKeys:
    """Ascending 64-bit keys, and where those stand that begin with the same bits.

    Args:
        keys: uint64, each once. They should be as good as random, like hashes: then few
            of them begin alike, and the place of a key is known without a search. Any
            others are found as well, though slower.

    Raises:
        ValueError: For keys that are not ascending.
    """

    cdef const uint64_t[::1] keys
    # The first key with each beginning, and the end of all keys.
    cdef vector[uint32_t] starts
    cdef int shift

    def __cinit__(self, const uint64_t[::1] keys not None: NDArray[np.uint64]):
        cdef Py_ssize_t n = keys.shape[0]
        cdef Py_ssize_t i
        cdef int n_bits = SPARE_BITS
        for i in range(n - 1):
            if keys[i] >= keys[i + 1]:
                raise ValueError("the keys are not ascending")
        while <Py_ssize_t>1 << (n_bits - SPARE_BITS) < n:
            n_bits += 1
        self.keys = keys
        self.shift = KEY_BITS - n_bits
        self.starts.resize((<size_t>1 << n_bits) + 1, 0)
        for i in range(n):
            self.starts[(keys[i] >> self.shift) + 1] += 1
        for i in range(1, <Py_ssize_t>self.starts.size()):
            self.starts[i] += self.starts[i - 1]

    def pick(
        self,
        const int32_t[:, ::1] values not None: NDArray[np.int32],
        const uint64_t[:] wanted not None: NDArray[np.uint64],
        int missing,
    ) -> np.ndarray[Any, np.dtype[np.int32]]:
        """The values that belong to some keys.

        Args:
            values: Of shape (n columns, n keys).
            wanted: The keys to look for, in any order.
            missing: Stands for the values of a key that is not there.

        Returns:
            int32 of shape (n columns, n wanted).

        Raises:
            ValueError: When the values are not those of so many keys.
        """
        cdef Py_ssize_t n = wanted.shape[0]
        cdef Py_ssize_t n_columns = values.shape[0]
        cdef Py_ssize_t i, column, place
        cdef bint is_there
        if values.shape[1] != self.keys.shape[0]:
            raise ValueError(
                f"values of {values.shape[1]} keys, but there are "
                f"{self.keys.shape[0]}"
            )
        picked = np.empty((n_columns, n), dtype=np.int32)
        cdef int32_t[:, ::1] found = picked
        if self.keys.shape[0] == 0:
            picked.fill(missing)
            return picked
        with nogil:
            for i in range(n):
                place = self._place(wanted[i])
                is_there = self.keys[place] == wanted[i]
                for column in range(n_columns):
                    # Without a branch, as half of the keys are not there.
                    found[column, i] = <int32_t>(
                        missing + is_there * (<int64_t>values[column, place] - missing)
                    )
        return picked

    def hold(
        self, const uint64_t[:] wanted not None: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Whether each of the wanted keys is there. With few keys `np.isin` takes
        several times as long.

        Args:
            wanted: As of `pick`.

        Returns:
            bool of shape (n wanted,).
        """
        cdef Py_ssize_t i, n = wanted.shape[0]
        answers = np.zeros(n, dtype=np.bool_)
        cdef uint8_t[::1] found = answers.view(np.uint8)
        if self.keys.shape[0]:
            with nogil:
                for i in range(n):
                    found[i] = self.keys[self._place(wanted[i])] == wanted[i]
        return answers

    def __reduce__(self):
        return SortedKeys, (np.array(self.keys),)

    cdef inline Py_ssize_t _place(self, uint64_t key) noexcept nogil:
        """The place of a key, or that of another one if it is not there."""
        cdef size_t beginning = key >> self.shift
        cdef uint32_t start = self.starts[beginning]
        cdef uint32_t end = self.starts[beginning + 1]
        cdef Py_ssize_t place = start
        cdef const uint64_t* first
        if end - start > 1:
            first = &self.keys[0]
            place = lower_bound(first + start, first + end, key) - first
        return min(place, self.keys.shape[0] - 1)
