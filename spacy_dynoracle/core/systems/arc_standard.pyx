# cython: boundscheck=False, wraparound=False
"""Arc-standard (Nivre 2004).

Notation, as in Goldberg & Nivre (2013): c = (sigma|s1|s0, b|beta, A); s0 is the top of
the stack, s1 what lies below it and sigma what lies below both; b is the front of the
buffer and beta what stands behind it.

The system is not arc-decomposable: with a, b, c on the stack both (c,b) and (b,a) are
reachable, but not together. So no transition has a cost formula of its own; what arcs
cost is computed by dynamic programming, see `tabular.pyx`. RIGHT is that of arc-hybrid,
without its cost.
"""
from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ROOT_LAST,
    ConfigurationC,
    N,
    S,
    add_arc,
    buffer_size,
    has_single_root,
    pop,
    push,
)
from .arc_hybrid cimport Right
from .base cimport Arc, ArcTransition, Push, TransitionSystem

from .tabular import TabularCosts

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, LEFT, RIGHT

cdef class Shift(Push):
    """SHIFT: push the front of the buffer.

    - Precondition: b exists. Single root: ROOT, if it stands last, is pushed only if no
      more than one word is on the stack.
    - Effect: (sigma, b|beta, A) -> (sigma|b, beta, A)
    - Cost: see `TabularCosts`.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if N(c, 0) == ROOT and c.root == ROOT_LAST and has_single_root(c):
            return c.stack_size <= 1
        return N(c, 0) != NO_NODE

cdef class Left(ArcTransition):
    """LEFT_lb: make the item below the top of the stack a dependent of the top.

    - Precondition: s0 and s1 exist, s1 is not ROOT.
    - Effect: (sigma|s1|s0, beta, A) -> (sigma|s0, beta, A + (s0,lb,s1))
    - Cost: see `TabularCosts`.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return S(c, 1) != NO_NODE and S(c, 1) != ROOT

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int s0 = pop(c)
        add_arc(c, s0, label, S(c, 0))
        pop(c)
        push(c, s0)

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=S(c, 0), dependent=S(c, 1))


cdef class ArcStandard(TransitionSystem):
    """The arc-standard transition system.

    - Initial: an empty stack; the buffer holds the words and ROOT, first or last.
    - Terminal: only ROOT on the stack and an empty buffer, after 2n + 1 transitions.

    Args:
        root: "first" (Goldberg & Nivre 2013), by default, or "last".
        single_root, root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("first", "last")
    # Each configuration has a table over nodes of the stack and words of the buffer
    # (see tabular.pyx).
    has_linear_costs = False
    static_preferences = {
        # Left dependents before right ones.
        "left-first": (LEFT, RIGHT, SHIFT),
        # Left dependents when all right ones are there.
        "left-last": (RIGHT, SHIFT, LEFT),
    }
    default_features = "spacy_dynoracle.ZhangNivre2011Standard.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichStandard.v1"

    def __cinit__(self, *_, **__):
        self.root_in_buffer = True
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Left(), Right())

    def new_costs(self) -> Costs:
        """The tabular costs (Goldberg, Sartorio & Satta 2014), for one thread."""
        return TabularCosts(self)

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return buffer_size(c) == 0 and c.stack_size == 1
