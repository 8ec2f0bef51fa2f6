from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC, RootRule
from ..features.extractor cimport MAX_TEMPLATES
from ..model.model cimport Model
from ..state.sentence cimport SentenceC


# The best legal action for a pair of neighbours in an easy-first system.
cdef struct Choice:
    float score
    # -1 if the model has no action for what is legal.
    int action
    # -1 if nothing is legal.
    int transition


cdef class Workspace:
    cdef ConfigurationC c
    cdef uint64_t[MAX_TEMPLATES] keys
    cdef float* scores
    # For each pair, by its left node.
    cdef vector[Choice] choices

    cdef int fit(self, int n_scores) except -1


cdef class Search:
    cdef int parse_sentence(
        self, Model model, const SentenceC* sentence, RootRule root_rule, Workspace work
    ) except -1 nogil


cdef Py_ssize_t sentences_of(
    Model model, sentences, vector[const SentenceC*]* pointers
) except -1
