"""What every transition system consists of."""
from ..state.configuration cimport Configuration, ConfigurationC, RootRule
from ..state.gold cimport Gold

cdef enum:
    MAX_TRANSITIONS = 8

ctypedef struct Arc:
    int head
    int dependent

ctypedef bint (*legal_t)(const ConfigurationC* c) noexcept nogil
ctypedef void (*apply_t)(ConfigurationC* c, int label) noexcept nogil
ctypedef int (*cost_t)(const ConfigurationC* c, const Gold* gold) noexcept nogil
ctypedef Arc (*arc_t)(const ConfigurationC* c) noexcept nogil

cdef struct Transition:
    const char* name
    # Whether the model has classes for it; if not, it is only ever forced.
    bint scored
    legal_t legal
    apply_t apply
    cost_t cost
    # The arc it adds, for transitions that carry a label; NULL for the others.
    arc_t arc


# The costs of the transitions of a system, with the memory that computing them needs.
cdef class Costs:
    cdef readonly TransitionSystem system

    cdef void start(self) noexcept nogil
    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil


cdef class TransitionSystem:
    cdef Transition[MAX_TRANSITIONS] transitions
    cdef readonly int n_transitions
    cdef readonly str root
    cdef int root_place
    # Whether ROOT, if it stands first, begins at the front of the buffer and is pushed
    # like a word, instead of beginning on the stack.
    cdef bint root_in_buffer
    cdef readonly object single_root
    cdef readonly bint root_label_constraint
    cdef readonly bint chooses_pair

    cdef int add_transition(self, Transition transition) except -1
    cdef void start(
        self, ConfigurationC* c, int length, RootRule root_rule
    ) noexcept nogil
    cdef RootRule chosen_rule(self, root_rule) except *
    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil
    cdef unsigned int legal_set(self, const ConfigurationC* c) noexcept nogil
    cdef unsigned int by_transition(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil
    cdef bint may_explore(self, int predicted, unsigned int correct) noexcept nogil
    cdef bint puts_back(self, RootRule root_rule) noexcept nogil
    cdef bint is_forced(self, unsigned int legal) noexcept nogil
    cdef int lowest(self, unsigned int legal) noexcept nogil
    cdef int find(self, name) except -1


cdef void attach_to_root(ConfigurationC* c, int label) noexcept nogil
