# cython: boundscheck=False, wraparound=False
"""Arc-hybrid (Kuhlmann, Gomez-Rodriguez & Satta 2011), with its dynamic oracle.

Notation of the formulas, as in Goldberg & Nivre (2013): c = (sigma|s1|s0, b|beta, A), T
the gold arcs; s0 is the top of the stack, s1 what lies below it and sigma what lies
below both; b is the front of the buffer and beta what stands behind it. Items that do
not exist drop out of the formulas.

LEFT is that of arc-eager and RIGHT that of arc-standard, so every word on the stack is
headless. The costs are those of Goldberg & Nivre (2013), section 4.5.

If ROOT stands last and may take only one word, (ROOT,d) is reachable only while d is in
the buffer or at the bottom of the stack, and the formulas change accordingly.
"""
from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    ConfigurationC,
    N,
    S,
    add_arc,
    buffer_size,
    has_single_root,
    pop,
)
from ..state.gold cimport Gold
from .base cimport Arc, TransitionSystem
from .lost_arcs cimport (
    dependents_in_buffer,
    head_below_top,
    head_in_beta,
    head_in_buffer,
    headless_dependents_on_stack,
)

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, LEFT, RIGHT

cdef inline bint root_wants_bottom(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """Whether (ROOT,d) in T, and ROOT takes only the last word that is left."""
    return has_single_root(c) and c.root == ROOT_LAST and gold.head[d] == ROOT


cdef class Shift(Push):
    """SHIFT: push the front of the buffer.

    Precondition: b exists; if ROOT stands last, it is not ROOT.
    Effect: (sigma, b|beta, A) -> (sigma|b, beta, A)
    Cost: b gets no dependent from the stack any more, and no head from below s0.
        C(SHIFT) = |{(b,k) in T : k in sigma|s1|s0}| + |{(k,b) in T : k in sigma|s1}|
        Single root, ROOT last: plus 1 if (ROOT,b) in T and the stack is not empty.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) != NO_NODE and (N(c, 0) != ROOT or c.root == ROOT_FIRST)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int b = N(c, 0)
        cdef int cost = headless_dependents_on_stack(c, gold, b)
        if root_wants_bottom(c, gold, b):
            return cost + (c.stack_size > 0)
        return cost + head_below_top(c, gold, b)


cdef class Left(LeftArc):
    """LEFT_lb: make the top of the stack a dependent of the front of the buffer.

    Precondition: s0 and b exist, s0 is not ROOT. Single root, ROOT last: ROOT takes s0
        only if nothing lies below it.
    Effect: (sigma|s0, b|beta, A) -> (sigma, b|beta, A + (b,lb,s0))
    Cost: s0 gets no other head and no more dependents.
        C(LEFT) = |{(s0,k) in T : k in b|beta}| + |{(k,s0) in T : k = s1 or k in beta}|
        Single root, ROOT last: no k is ROOT; plus 1 if (ROOT,s0) in T, s0 is all there
        is on the stack and b is not ROOT.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if S(c, 0) == NO_NODE or S(c, 0) == ROOT or N(c, 0) == NO_NODE:
            return False
        return N(c, 0) != ROOT or not has_single_root(c) or c.stack_size == 1

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s0 = S(c, 0)
        cdef int cost = dependents_in_buffer(c, gold, s0)
        if root_wants_bottom(c, gold, s0):
            return cost + (c.stack_size == 1 and N(c, 0) != ROOT)
        return (
            cost
            + (S(c, 1) != NO_NODE and gold.head[s0] == S(c, 1))
            + head_in_beta(c, gold, s0)
        )


cdef class Right(ArcTransition):
    """RIGHT_lb: make the top of the stack a dependent of the item below it.

    Precondition: s0 and s1 exist. Single root, ROOT first: ROOT takes s0 only if
        no other word is left.
    Effect: (sigma|s1|s0, b|beta, A) -> (sigma|s1, b|beta, A + (s1,lb,s0))
    Cost: s0 gets no other head and no more dependents.
        C(RIGHT) = |{(s0,k) in T : k in b|beta}| + |{(k,s0) in T : k in b|beta}|
        Single root, ROOT last: no k is ROOT.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if S(c, 1) == NO_NODE or S(c, 0) == ROOT:
            return False
        if S(c, 1) != ROOT or not has_single_root(c):
            return True
        return c.stack_size == 2 and buffer_size(c) == 0

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        add_arc(c, S(c, 1), label, S(c, 0))
        pop(c)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s0 = S(c, 0)
        cdef int cost = dependents_in_buffer(c, gold, s0)
        if root_wants_bottom(c, gold, s0):
            return cost
        return cost + head_in_buffer(c, gold, s0)

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=S(c, 1), dependent=S(c, 0))


cdef class ArcHybrid(TransitionSystem):
    """The arc-hybrid transition system.

    - Initial: an empty stack; the buffer holds the words and ROOT, first or last.
    - Terminal: ROOT first: only ROOT on the stack and an empty buffer, after 2n + 1
      transitions. ROOT last: an empty stack and only ROOT in the buffer, after 2n.

    Args:
        root: "first" (Goldberg & Nivre 2013), by default, or "last" (common in later
            work).
        single_root, root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("first", "last")
    static_preferences = {
        # Words leave the stack as soon as they are finished.
        "right": (LEFT, RIGHT, SHIFT),
        # A finished word stays until it is in the way.
        "shift": (LEFT, SHIFT, RIGHT),
    }
    default_features = "spacy_dynoracle.RichHybrid.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichHybridTwoTags.v1"

    def __cinit__(self, *_, **__):
        self.root_in_buffer = True
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Left(), Right())

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        if c.root == ROOT_LAST:
            return c.stack_size == 0 and N(c, 0) == ROOT
        return buffer_size(c) == 0 and c.stack_size == 1
