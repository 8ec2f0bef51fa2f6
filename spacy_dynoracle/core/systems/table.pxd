"""The table of transitions of a system."""
from ..state.configuration cimport ConfigurationC, RootRule
from ..state.gold cimport Gold

cdef enum:
    MAX_TRANSITIONS = 8
    NO_TRANSITION = -1

ctypedef struct Arc:
    int head
    int dependent


# A transition states its precondition, effect and cost. A subclass of ArcTransition
# also states the arc that it adds.
cdef class Transition:
    cdef bint adds_arc
    # Whether it removes the arc that the dependent has.
    cdef bint replaces
    # Whether the model has classes for it; if not, it is only ever forced.
    cdef bint scored

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil
    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil
    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil
    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil


cdef class ArcTransition(Transition):
    pass


cdef class Push(Transition):
    pass


cdef class LeftArc(ArcTransition):
    pass


cdef class RightArc(ArcTransition):
    pass


# The rows first <= row < end.
cdef struct RowRange:
    int first
    int end


cdef class TransitionTable:
    # By number; the tuple keeps them alive.
    cdef void* transitions[MAX_TRANSITIONS]
    cdef tuple _transitions
    cdef readonly tuple transition_names  # type: tuple[str, ...]
    cdef readonly int n_transitions
    # The numbers of the transitions that push the front of the buffer without an arc,
    # add an arc to the left and add an arc to the right; NO_TRANSITION by default.
    cdef int shift
    cdef int left
    cdef int right
    cdef int root_place
    # Whether ROOT, if it stands first, begins at the front of the buffer and is pushed
    # like a word, instead of beginning on the stack.
    cdef bint root_in_buffer
    # Whether a configuration can have several rows. The default is one row, in slot 0.
    # A transition then removes the node of a row or that of the next one, and slots are
    # nodes in the order of the rows.
    cdef bint has_rows

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil
    cdef void start(
        self, ConfigurationC* c, int length, RootRule root_rule
    ) noexcept nogil
    cdef unsigned int legal_set(self, const ConfigurationC* c) noexcept nogil
    cdef bint is_forced(self, unsigned int legal) noexcept nogil
    cdef int lowest(self, unsigned int legal) noexcept nogil
    cdef int credited_word(self, int t, const ConfigurationC* c) noexcept nogil

    cdef int n_slots(self, int length) noexcept nogil
    cdef int n_rows(self, const ConfigurationC* c) noexcept nogil
    cdef int slot(self, const ConfigurationC* c, int row) noexcept nogil
    cdef int row_in(self, const ConfigurationC* c, int slot) noexcept nogil
    cdef int focus_row(self, ConfigurationC* c, int row) noexcept nogil
    cdef RowRange touched(self, const ConfigurationC* c) noexcept nogil

    cdef unsigned int by_transition(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil
    cdef unsigned int to_learn(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil
    cdef bint has_costs(
        self, const ConfigurationC* c, unsigned int legal
    ) noexcept nogil
    cdef bint may_explore(self, int predicted, unsigned int correct) noexcept nogil


# The costs of the transitions of a system, with the memory that computing them needs.
cdef class Costs:
    cdef readonly TransitionTable system

    cdef void start(self) noexcept nogil
    cdef bint are_slow(self) noexcept nogil
    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil
