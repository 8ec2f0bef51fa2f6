"""Rules that make a lemma of a form."""
from libc.stdint cimport uint64_t


cdef class EditRule:
    cdef readonly int case
    cdef readonly str cut_before
    cdef readonly str add_before
    cdef readonly str cut_behind
    cdef readonly str add_behind
    # A hash of everything else, the same in every process.
    cdef readonly uint64_t key

    cdef str of_cased(self, str cased)
