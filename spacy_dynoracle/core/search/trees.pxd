from libc.stdint cimport int32_t

from ..state.configuration cimport ConfigurationC


cdef class TreeArrays:
    cdef readonly object heads  # type: NDArray[np.int32]
    cdef readonly object labels  # type: NDArray[np.int32]
    cdef int32_t[::1] _heads
    cdef int32_t[::1] _labels
    cdef int root_label
    # The number of words that are there.
    cdef Py_ssize_t at

    cdef void add(self, ConfigurationC* c) noexcept nogil
    cdef void put(self, ConfigurationC* c, Py_ssize_t first) noexcept nogil
