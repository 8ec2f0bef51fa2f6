from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC
from ..systems.actions cimport Actions, ScoredTransition
from ..systems.base cimport TransitionSystem


# One transition of a derivation.
cdef struct Step:
    # The number of the step before, or -1.
    int before
    # -1 if the transition was taken without asking the model.
    int action
    int transition
    # The words that it changed; ROOT or NO_NODE for none.
    int words[4]


# A configuration in a beam, with the score of its derivation and the number of the last
# step of it.
cdef cppclass BeamState:
    ConfigurationC c
    double score
    int last
    # The number of the sentence.
    int sentence


ctypedef BeamState* BeamStateP


cdef class Derivations:
    cdef TransitionSystem system
    cdef Actions actions
    cdef int n_sentences
    # The beam, best first.
    cdef vector[BeamStateP] states
    # All steps of the sentence.
    cdef vector[Step] steps
    # For each state of the next beam the rank of the state that it comes from.
    cdef vector[int] parents
    cdef vector[BeamStateP] following
    cdef vector[BeamStateP] unused
    cdef vector[int] last_use

    cdef BeamState* start_derivations(self, int length) except NULL nogil
    cdef int keep_best(self) except -1 nogil
    cdef int inherit(self) except -1 nogil
    cdef int follow(
        self, BeamState* state, const ScoredTransition& chosen
    ) except -1 nogil
    cdef int _copy(self, BeamState* to, const BeamState* state) except -1 nogil
    cdef void _copy_changes(self, BeamState* to, const BeamState* state) noexcept nogil
    cdef void _put_away(self, vector[BeamStateP]* states) noexcept nogil
    cdef BeamState* _new_state(self) except NULL nogil
    cdef void derivation(
        self, int last, vector[Step]* steps, int first=*
    ) noexcept nogil
