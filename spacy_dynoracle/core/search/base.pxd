from libc.stdint cimport uint64_t

from ..configuration cimport ConfigurationC
from ..features.extractor cimport MAX_TEMPLATES
from ..model cimport Model
from ..sentence cimport SentenceC


cdef class Workspace:
    cdef ConfigurationC c
    cdef uint64_t[MAX_TEMPLATES] keys
    cdef float* scores

    cdef int fit(self, int n_scores) except -1


cdef class Search:
    cdef int parse_sentence(
        self, Model model, const SentenceC* sentence, Workspace work
    ) except -1 nogil
