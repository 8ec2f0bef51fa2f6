"""The classes of the model: transitions with their labels."""
from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC
from ..state.gold cimport Gold
from .base cimport TransitionSystem

cdef extern from "systems/scored_transition.hpp" namespace "dynoracle" nogil:
    struct ScoredTransition:
        double score
        int row
        int action
        int transition


cdef struct Run:
    # Actions start <= a < end all belong to one transition.
    int transition
    int start
    int end


cdef class Actions:
    cdef readonly TransitionSystem system
    cdef readonly object labels  # type: Labels
    cdef readonly int n
    cdef readonly list keys  # type: list[tuple[str, str | None]]
    cdef dict ids
    # The label that only arcs out of ROOT may and must have, or NO_LABEL.
    cdef int root_label
    cdef vector[int] transition
    cdef vector[int] label
    cdef vector[Run] runs
    # For each transition and label + 1 the action, or -1.
    cdef vector[vector[int]] table

    cdef int id_of(self, int transition, int label) noexcept nogil
    cdef ScoredTransition scored(
        self, int row, int action, const float* scores
    ) noexcept nogil
    cdef bint may_label(self, int action, const ConfigurationC* c) noexcept nogil
    cdef int mask(
        self, unsigned int legal, int n_scores, vector[float]* mask
    ) except -1 nogil
    cdef void mark_legal(
        self, char* flags, unsigned int legal, const ConfigurationC* c
    ) noexcept nogil
    cdef int best_marked(self, const float* scores, const char* flags) noexcept nogil
    cdef void mark_correct(
        self,
        char* correct,
        unsigned int transitions,
        const ConfigurationC* c,
        const Gold* gold,
    ) noexcept nogil
