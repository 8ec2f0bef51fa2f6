from libcpp.vector cimport vector

from ..model.model cimport Model
from .beam cimport Beam
from ..state.sentence cimport SentenceC


cdef class Search:
    cdef readonly int beam_size, n_best
    cdef readonly double threshold

    cdef Beam beam(self, Model model, root_rule)


cdef Py_ssize_t sentences_of(
    Model model, sentences, vector[const SentenceC*]* pointers
) except -1
