from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC
from ..features.extractor cimport CONTEXT, MAX_TEMPLATES, Extractor
from ..weights.scorer cimport Scorer, Scoring
from ..state.sentence cimport SentenceC


cdef class ScoreMemo:
    cdef Extractor extractor
    cdef Scorer weights
    cdef Scoring scoring
    cdef int n_scores
    cdef int n_places
    # What the places of a context are multiplied by to make its hash.
    cdef vector[uint64_t] factors
    cdef uint64_t round
    cdef vector[uint64_t] rounds
    cdef vector[uint64_t] contexts
    cdef vector[float] rows
    cdef uint64_t[CONTEXT] context
    cdef uint64_t[MAX_TEMPLATES] keys
    # Where the last scores are, and whether they were computed just now.
    cdef size_t place
    cdef bint is_new

    cdef int fit(self) except -1
    cdef void forget(self) noexcept nogil
    cdef bint begin(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) noexcept nogil
    cdef float* finish(self) noexcept nogil
    cdef const float* scores(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) noexcept nogil
