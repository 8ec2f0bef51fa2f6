from libcpp.vector cimport vector

from ..systems.actions cimport ScoredTransition
from ..state.configuration cimport ConfigurationC, RootRule
from ..state.sentence cimport SentenceC
from .derivations cimport BeamState, Derivations
from .memo cimport ScoreMemo


cdef extern from "search/successors.hpp" namespace "dynoracle" nogil:
    # How the configurations of the next beam are made from those of this beam: the row
    # is the rank of the configuration, and a terminal one stays as it is.
    cppclass Successors:
        vector[ScoredTransition] found
        void start(int most)
        void offer(const ScoredTransition& successor)
        void offer_all(
            const ScoredTransition& next,
            const float* scores,
            int first,
            int end,
            double factor,
        )
        void finish(double reach)

    bint is_better(const ScoredTransition& a, const ScoredTransition& b)


cdef class Beam(Derivations):
    cdef readonly ScoreMemo memo
    cdef readonly int size
    cdef RootRule root_rule
    # 0 for scores that are no logarithms of probabilities.
    cdef double per_temperature
    # How far the score of a derivation may be below the best one's.
    cdef double reach
    cdef vector[char] legal
    # The first step that was taken when the beam looked ahead last.
    cdef int first_step
    # The transitions since then.
    cdef int n_ahead
    # The state whose successors are offered next.
    cdef int rank
    # For each set of legal transitions the mask of scores, once it was needed.
    cdef vector[vector[float]] masks
    # The place of each state in the memo.
    cdef vector[size_t] places
    # For each place of the memo the logarithm of the sum over these legal transitions.
    cdef vector[double] totals
    cdef vector[unsigned int] totals_of
    # Where the states of the beam come from: for each of them how it was made from
    # one of the beam before.
    cdef Successors successors

    cdef int fit(self) except -1
    cdef int start(self, const SentenceC* sentence) except -1 nogil
    cdef float margin(self)
    cdef int look_ahead(
        self, vector[ScoredTransition]* taken, const float* scores
    ) except -1 nogil
    cdef bint goes_on(self, const SentenceC* sentence) except -1 nogil
    cdef bint advance(self, const SentenceC* sentence) except -1 nogil
    cdef bint begin_step(self) noexcept nogil
    cdef bint look(self, const SentenceC* sentence) noexcept nogil
    cdef void take(self) noexcept nogil
    cdef bint expand(self, const SentenceC* sentence) except -1 nogil
    cdef const float* mask_of(
        self, unsigned int legal, const ConfigurationC* c
    ) noexcept nogil
    cdef bint has_twin(self, int rank) noexcept nogil
    cdef bint skips(self, unsigned int legal) noexcept nogil
    cdef int take_over(self) except -1 nogil


cdef int check_beam_size(size) except -1
