from .base cimport Search


cdef class BeamSearch(Search):
    cdef readonly int beam_size, n_best
