from libcpp.vector cimport vector

from ..systems.actions cimport Actions
from ..state.configuration cimport ConfigurationC, RootRule
from ..features.extractor cimport Extractor
from ..weights.scorer cimport Scorer
from ..state.sentence cimport SentenceC
from ..systems.base cimport TransitionSystem
from .lineages cimport BeamState, Lineages, Step
from .memo cimport ScoreMemo


cdef extern from "search/successors.hpp" namespace "dynoracle" nogil:
    # How a configuration of the next beam is made from one of this beam.
    struct Successor:
        double score
        int parent
        int action
        int transition

    cppclass Successors:
        vector[Successor] found
        void start(int most)
        void offer(const Successor& successor)
        void offer_all(
            const Successor& next,
            const float* scores,
            int first,
            int end,
            double factor,
        )
        void finish()

    bint is_better(const Successor& a, const Successor& b)


cdef class Beam(Lineages):
    cdef Actions actions
    cdef readonly ScoreMemo memo
    cdef readonly int size
    cdef RootRule root_rule
    # 0 for scores that are no logarithms of probabilities.
    cdef double per_temperature
    cdef vector[char] legal
    # For each place of the memo the logarithm of the sum over these legal transitions.
    cdef vector[double] totals
    cdef vector[unsigned int] totals_of
    # Where the states of the beam come from: for each of them how it was made from
    # one of the beam before.
    cdef Successors successors

    cdef int fit(self) except -1
    cdef int start(self, const SentenceC* sentence) except -1 nogil
    cdef bint advance(self, const SentenceC* sentence) except -1 nogil
    cdef bint expand(self, const SentenceC* sentence) except -1 nogil
    cdef bint skips(self, unsigned int legal) noexcept nogil
    cdef int take_over(self) except -1 nogil
    cdef void _offer_successors(
        self, int rank, const SentenceC* sentence
    ) noexcept nogil
    cdef bint _offer_actions(
        self, Successor next, unsigned int legal, const float* scores, double factor
    ) noexcept nogil
    cdef double _log_total(
        self, const ConfigurationC* c, unsigned int legal, const float* scores
    ) noexcept nogil


cdef int check_beam_size(size) except -1
