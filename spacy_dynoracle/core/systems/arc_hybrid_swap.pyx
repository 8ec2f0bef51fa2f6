# cython: boundscheck=False, wraparound=False
"""Arc-hybrid with SWAP (de Lhoneux, Stymne & Nivre 2017): any tree, crossing arcs too.

Notation: c = (sigma|s1|s0, b|beta, A), T the gold arcs, g(d) the gold head of d. SWAP
puts the top of the stack behind the front of the buffer, so that words can be brought
into an order in which the tree is projective: PROJ(x), the rank of x in the in-order
traversal of the gold tree, ROOT being last.

The oracle is *static-dynamic*: static where SWAP is needed, dynamic elsewhere. Where
SWAP is legal and s0 comes after b in the projective order, only SWAP has cost 0.
Elsewhere SWAP has cost 1, and the other transitions cost the gold arcs that they make
unattainable. An arc (h,d) between two nodes that are not reduced is *attainable* if one
of them is in the buffer, if h lies directly below d on the stack, or if the upper one
of the two will be swapped back into the buffer.

Training must follow SWAP where it is correct and nowhere else, even where it explores.
"""
from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ConfigurationC,
    N,
    S,
    in_buffer,
    is_headless,
    next_word,
    on_stack,
    pop,
    put_back,
)
from ..state.gold cimport UNKNOWN, Gold
from . cimport arc_hybrid
from .base cimport Costs, Transition, TransitionSystem
from .lost_arcs cimport head_below_top, headless_dependents_on_stack

from .arc_hybrid import ArcHybrid

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, LEFT, RIGHT, SWAP

# ---- terms of the formulas -----------------------------------------------------------

cdef inline bint can_swap(const ConfigurationC* c) noexcept nogil:
    """Whether s0 precedes b in the sentence, and b is not ROOT."""
    return S(c, 0) != NO_NODE and N(c, 0) > ROOT and S(c, 0) < N(c, 0)


cdef inline bint swap_is_needed(
    const ConfigurationC* c, const Gold* gold
) noexcept nogil:
    """Whether SWAP is legal and s0 comes after b in the projective order."""
    return can_swap(c) and gold.rank[S(c, 0)] > gold.rank[N(c, 0)]


cdef bint will_be_swapped(
    const ConfigurationC* c, const Gold* gold, int x
) noexcept nogil:
    """Whether a word in the buffer, behind x in the sentence, comes before x in the
    projective order.
    """
    cdef int k = x + 1
    # Few words move, and not far, so most loops end at once.
    while k <= gold.length and gold.least_rank[k] < gold.rank[x]:
        if in_buffer(c, k) and gold.rank[k] < gold.rank[x]:
            return True
        k += 1
    return False


cdef bint is_attainable(
    const ConfigurationC* c, const Gold* gold, int h, int d
) noexcept nogil:
    """Whether (h,d), an arc of T, can still be added; one of the two is s0 or b."""
    if not is_headless(c, d) or not (on_stack(c, d) or in_buffer(c, d)):
        return False
    if in_buffer(c, h) or (in_buffer(c, d) and on_stack(c, h)):
        return True
    if not on_stack(c, h):
        return False
    if d == S(c, 0) and h == S(c, 1):
        return True
    # One of them is s0, the upper one.
    return will_be_swapped(c, gold, S(c, 0))


cdef int attainable_dependents(
    const ConfigurationC* c, const Gold* gold, int h
) noexcept nogil:
    """|D(h)|: attainable gold dependents of h."""
    cdef int i, n = 0
    for i in range(gold.first[h], gold.first[h + 1]):
        n += is_attainable(c, gold, h, gold.dependents[i])
    return n


cdef int cost_of_arc(const ConfigurationC* c, const Gold* gold, int h) noexcept nogil:
    """The cost of making s0 a dependent of h."""
    cdef int k = gold.head[S(c, 0)]
    return (
        swap_is_needed(c, gold)
        + attainable_dependents(c, gold, S(c, 0))
        + (k != UNKNOWN and k != h and is_attainable(c, gold, k, S(c, 0)))
    )


# ---- the transitions -----------------------------------------------------------------

cdef class Shift(arc_hybrid.Shift):
    """SHIFT, its precondition and effect those of arc-hybrid.

    Cost: 0 if b will be swapped back; else b gets no dependent from the stack any more,
        and no head from below s0.
        C(SHIFT) = |{d in D(b) : d on the stack}|
                 + |{(k,b) in T : k in sigma|s1, b in D(k)}|
    """

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int b = N(c, 0)
        if swap_is_needed(c, gold):
            return 1
        if will_be_swapped(c, gold, b):
            return 0
        return head_below_top(c, gold, b) + headless_dependents_on_stack(c, gold, b)


cdef class Left(arc_hybrid.Left):
    """LEFT_lb, its precondition and effect those of arc-hybrid.

    Cost: s0 gets no other head and no more dependents.
        C(LEFT) = |D(s0)| + [g(s0) != b and s0 in D(g(s0))]
    """

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_arc(c, gold, N(c, 0))


cdef class Right(arc_hybrid.Right):
    """RIGHT_lb, its precondition and effect those of arc-hybrid.

    Cost: s0 gets no other head and no more dependents.
        C(RIGHT) = |D(s0)| + [g(s0) != s1 and s0 in D(g(s0))]
    """

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_arc(c, gold, S(c, 1))


cdef class Swap(Transition):
    """SWAP: put the top of the stack back, behind the front of the buffer.

    - Precondition: s0 precedes b in the sentence, and b is not ROOT. So two words are
      swapped at most once, and there are at most n(n-1)/2 swaps.
    - Effect: (sigma|s0, b|beta, A) -> (sigma, b|s0|beta, A)
    - Cost: 0 where s0 comes after b in the projective order, else 1.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return can_swap(c)

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int b = next_word(c)
        put_back(c, pop(c))
        put_back(c, b)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return not swap_is_needed(c, gold)


# ---- keeping given arcs --------------------------------------------------------------

cdef inline bint is_bound(
    const ConfigurationC* c, const Gold* arcs, int k
) noexcept nogil:
    """Whether an arc into k or out of it is still to be added; k is not reduced."""
    cdef int i
    if arcs.head[k] != UNKNOWN:
        return True
    for i in range(arcs.first[k], arcs.first[k + 1]):
        if is_headless(c, arcs.dependents[i]):
            return True
    return False


cdef class KeepingCosts(Costs):
    """Costs that keep given arcs possible without any further SWAP.

    In the order in which its words stand by now, a configuration is one of arc-hybrid,
    whose costs tell which arcs SHIFT, LEFT and RIGHT lose. A word with which no given
    arc is to be made may change its place without harm: all others keep their order,
    and it can be attached wherever it comes to stand. So SWAP has cost 0 if s0 or b is
    such a word. Where neither is, some swaps would be harmless too.
    """

    # Of the other transitions, which have the same numbers in arc-hybrid.
    cdef Costs in_order

    def __cinit__(self):
        self.in_order = ArcHybrid(root="last").new_costs()

    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        if t == SWAP:
            return is_bound(c, gold, S(c, 0)) and is_bound(c, gold, N(c, 0))
        return self.in_order.cost(t, c, gold)


cdef class ArcHybridSwap(TransitionSystem):
    """The arc-hybrid transition system with SWAP, for trees with crossing arcs.

    - Initial: an empty stack; the buffer holds the words, then ROOT.
    - Terminal: an empty stack and only ROOT in the buffer, after 2n transitions and two
      for each swap.

    Args:
        root: "last".
        single_root, root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("last",)
    static_preferences = {}
    projective = False
    needs_full_tree = True
    default_features = "spacy_dynoracle.RichHybrid.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichHybridTwoTags.v1"

    def __cinit__(self, *_, **__):
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Left(), Right(), Swap())

    def new_keeping_costs(self) -> Costs:
        """Costs of their own, because the oracle's need complete trees."""
        return KeepingCosts(self)

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return c.stack_size == 0 and N(c, 0) == ROOT

    cdef bint may_explore(self, int predicted, unsigned int correct) noexcept nogil:
        """SWAP is done where it is correct and only there."""
        return correct >> predicted & 1 or (predicted != SWAP and correct != 1u << SWAP)

    def transitions_of(self, int head, int dependent) -> tuple[str, ...]:
        """Swapped words can meet in either order."""
        return ("LEFT",) if head == ROOT else ("LEFT", "RIGHT")
