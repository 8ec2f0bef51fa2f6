from libcpp.vector cimport vector

from ..systems.actions cimport Actions
from ..state.configuration cimport ConfigurationC, RootRule
from ..features.extractor cimport Extractor
from ..weights.scorer cimport Scorer
from ..state.sentence cimport SentenceC
from ..systems.base cimport TransitionSystem
from .memo cimport ScoreMemo


cdef enum:
    TOUCHED = 4


# One transition of a derivation.
cdef struct Step:
    # The number of the step before, or -1.
    int before
    # -1 if the transition was taken without asking the model.
    int action
    int transition
    # The nodes that it changed; NO_NODE stands for none.
    int[TOUCHED] touched


# How a configuration of the next beam is made from one of this beam.
cdef struct Successor:
    double score
    # The rank of the configuration in this beam.
    int parent
    # -1 as in Step.
    int action
    # -1 for a terminal configuration, which stays as it is.
    int transition


# A configuration in a beam, with the score of its derivation and the number of the last
# step of it.
cdef cppclass BeamState:
    ConfigurationC c
    double score
    int last
    # The rank of its ancestor in an earlier beam, one to two generations ago.
    # States of one lineage differ little.
    int lineage
    # The same for the latest of these beams.
    int next_lineage
    # The number of the sentence.
    int sentence


ctypedef BeamState* BeamStateP


cdef class Beam:
    cdef TransitionSystem system
    cdef Actions actions
    cdef readonly ScoreMemo memo
    cdef readonly int size
    cdef RootRule root_rule
    cdef bint puts_back
    cdef int n_sentences
    # 0 for scores that are no logarithms of probabilities.
    cdef double per_temperature
    cdef vector[char] legal
    # For each place of the memo the logarithm of the sum over these legal transitions.
    cdef vector[double] totals
    cdef vector[unsigned int] totals_of
    # The beam, best first.
    cdef vector[BeamState*] states
    # Where the states of the beam come from: for each of them how it was made from
    # one of the beam before.
    cdef vector[Successor] successors
    # All steps of the sentence.
    cdef vector[Step] steps
    cdef vector[BeamState*] following
    # States that are not in a beam, by lineage, and a bound for the first of them.
    cdef vector[vector[BeamStateP]] unused
    cdef int first_unused
    # Number of beams since the start of the sentence.
    cdef int n_beams
    cdef vector[int] last_use

    cdef int fit(self) except -1
    cdef int start(self, const SentenceC* sentence) except -1 nogil
    cdef bint advance(self, const SentenceC* sentence) except -1 nogil
    cdef bint expand(self, const SentenceC* sentence) except -1 nogil
    cdef bint skips(self, unsigned int legal) noexcept nogil
    cdef int take_over(self) except -1 nogil
    cdef void derivation(self, int last, vector[Step]* steps) noexcept nogil
    cdef void _offer_successors(
        self, int rank, const SentenceC* sentence
    ) noexcept nogil
    cdef bint _offer_actions(
        self, Successor next, unsigned int legal, const float* scores, double factor
    ) noexcept nogil
    cdef double _bound(self, double start, double factor) noexcept nogil
    cdef double _log_total(
        self, const ConfigurationC* c, unsigned int legal, const float* scores
    ) noexcept nogil
    cdef void _offer(self, Successor successor) noexcept nogil
    cdef int _copy(self, BeamState* to, const BeamState* state) except -1 nogil
    cdef void _copy_touched(
        self, BeamState* to, const BeamState* state, int n_steps
    ) noexcept nogil
    cdef int _apply(self, BeamState* state, const Successor* next) except -1 nogil
    cdef int _inherit(self) except -1 nogil
    cdef void _put_away(self, BeamState* state) noexcept nogil
    cdef void _put_all_away(self) noexcept nogil
    cdef BeamState* _relative(self, const BeamState* of) noexcept nogil
    cdef BeamState* _unused(self) noexcept nogil
    cdef BeamState* _new_state(self) except NULL nogil


cdef bint is_better(const Successor& a, const Successor& b) noexcept nogil


cdef int check_beam_size(size) except -1
