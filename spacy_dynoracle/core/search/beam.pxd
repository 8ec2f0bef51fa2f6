from libcpp.vector cimport vector

from ..systems.actions cimport Actions
from ..state.configuration cimport ConfigurationC, RootRule
from ..features.extractor cimport Extractor
from ..weights.scorer cimport Scorer
from ..state.sentence cimport SentenceC
from ..systems.base cimport TransitionSystem
from .memo cimport ScoreMemo


# One transition of a derivation.
cdef struct Step:
    # The number of the step before, or -1.
    int before
    # -1 if the transition was taken without asking the model.
    int action
    int transition
    # No word before this one was changed.
    int first_change


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
    # The number of the sentence.
    int sentence


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
    cdef vector[BeamState*] unused
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
    cdef BeamState* _new_state(self) except NULL nogil


cdef bint is_better(const Successor& a, const Successor& b) noexcept nogil


cdef int check_beam_size(size) except -1
