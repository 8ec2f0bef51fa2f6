# distutils: language = c++
# cython: language_level = 3
"""A system as a researcher would add it: arc-hybrid with the stack's transitions first
and a SHIFT of its own.
"""
from spacy_dynoracle.core.state.configuration cimport (
    NO_NODE,
    ConfigurationC,
    N,
    buffer_size,
    next_word,
    push,
)
from spacy_dynoracle.core.state.gold cimport Gold
from spacy_dynoracle.core.systems.arc_hybrid cimport Left, Right
from spacy_dynoracle.core.systems.base cimport Transition, TransitionSystem
from spacy_dynoracle.core.systems.lost_arcs cimport (
    head_below_top,
    headless_dependents_on_stack,
)

from spacy_dynoracle import register_system

# The numbers of the transitions.
cdef enum:
    LEFT = 0
    RIGHT = 1
    SHIFT = 2


cdef class Shift(Transition):
    """SHIFT: push the front of the buffer, ROOT included."""

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) != NO_NODE

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        push(c, next_word(c))

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int b = N(c, 0)
        return headless_dependents_on_stack(c, gold, b) + head_below_top(c, gold, b)


cdef class OwnHybrid(TransitionSystem):
    """ROOT first; SHIFT is the last transition of the table."""

    root_places = ("first",)
    static_preferences = {"right": (LEFT, RIGHT, SHIFT)}
    default_features = "spacy_dynoracle.RichHybrid.v1"

    def __cinit__(self, *_, **__):
        self.root_in_buffer = True
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Left(), Right(), Shift())

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return buffer_size(c) == 0 and c.stack_size == 1


register_system(OwnHybrid)
