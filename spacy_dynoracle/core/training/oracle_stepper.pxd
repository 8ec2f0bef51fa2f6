from libcpp.vector cimport vector

from ..learners.base cimport Alternatives
from ..oracles.base cimport Oracle
from ..search.rows cimport KeepingRowsStepper
from ..state.gold cimport Gold, GoldTree
from ..state.sentence cimport Sentence, SentenceC
from ..systems.actions cimport ScoredTransition
from ..systems.base cimport Costs, TransitionSystem


cdef class OracleStepper(KeepingRowsStepper):
    cdef Oracle oracle
    cdef Costs costs
    cdef const Gold* gold
    # What `ask` finds out: the rows of the configuration, and the correct transitions
    # of each.
    cdef vector[Alternatives] alternatives
    cdef vector[unsigned int] correct_transitions
    # The costs of these.
    cdef vector[int] least
    # By slot and action.
    cdef vector[char] correct_actions
    cdef vector[char] legal_actions

    cdef int begin(self, const SentenceC* sentence, const Gold* gold) except -1 nogil
    cdef int ask(self) except -1 nogil
    cdef int _find_transitions(self) except -1 nogil
    cdef ScoredTransition best_correct(self) noexcept nogil


cdef int check_example(
    TransitionSystem system,
    Oracle oracle,
    int n_columns,
    Sentence sentence,
    GoldTree gold,
) except -1
