from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.sentence cimport SentenceC


cdef class Search:
    cdef readonly int beam_size, n_best


cdef Py_ssize_t sentences_of(
    Model model, sentences, vector[const SentenceC*]* pointers
) except -1
