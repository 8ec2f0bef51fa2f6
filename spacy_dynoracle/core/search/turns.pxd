"""Sentences that are parsed in turn."""
from libcpp.vector cimport vector

from ..state.sentence cimport SentenceC
from ..systems.actions cimport ScoredTransition
from ..model.model cimport Model
from .base cimport Search
from .beam cimport Beam
from .derivations cimport Step
from .stepper cimport Stepper
from .trees cimport TreeArrays


cdef class Queue:
    cdef vector[const SentenceC*] sentences
    cdef TreeArrays trees
    # The next sentence, and its first word among those of all sentences.
    cdef size_t next
    cdef Py_ssize_t at


cdef class Turn:
    cdef Queue queue
    cdef Stepper stepper
    # What decides where the best transition is not ahead of the others by the margin,
    # or None, and whether it does at present.
    cdef Beam beam
    cdef float margin
    cdef bint beam_decides
    # What was taken that the beam does not know, whether it knows the sentence, and
    # what it has found.
    cdef vector[ScoredTransition] taken
    cdef bint beam_has_begun
    cdef vector[Step] steps
    # Whether `accept` needs the scores of transitions.
    cdef bint needs_scores
    cdef bint goes_on
    # The first word of the sentence among those of all sentences.
    cdef Py_ssize_t first

    cdef int begin(self) except -1 nogil
    cdef int step(self) except -1 nogil
    cdef bint look(self) except -1 nogil
    cdef int take(self) except -1 nogil
    cdef int take_found(self) except -1 nogil
    cdef int accept(self, ScoredTransition chosen) except -1 nogil


cdef list turns_of(
    Search search, kind, Queue queue, Model model, root_rule, temperature=*, found=*
)
cdef int take_turns(list turns) except -1
