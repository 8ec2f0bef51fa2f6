# cython: boundscheck=False, wraparound=False
"""Arc-eager (Nivre 2003), with its dynamic oracle and its tree constraint.

Notation of the formulas, as in Goldberg & Nivre (2013): c = (sigma|s, b|beta, A), T
the gold arcs; s is the top of the stack and sigma what lies below it, b the front of
the buffer and beta what stands behind it. C(t; c, T) counts the gold arcs that can be
reached from c and no longer from t(c).

The costs are those of Goldberg & Nivre (2013), section 4.5, with two corrections,
both proved by exhaustive search in the tests:

* the dependents term of LEFT includes b and that of RIGHT includes s, as the
  configuration of the paper demands and its formulas, as printed, do not;
* only *headless* words count as lost dependents of b (footnote 11).

Where ROOT does not stand last, headless words are attached to it at the end, so that
(ROOT, k) remains reachable until k gets another head.

With the tree constraint (Nivre & Fernandez-Gonzalez 2014, section 3) there is no such
attachment: once the end of the input has been seen, SHIFT gives way to UNSHIFT, which
puts a headless word back into the buffer. The costs describe the system without
UNSHIFT, on which training runs (section 4 of that paper).
"""
cimport cython

from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    ROOT_NONE,
    ConfigurationC,
    N,
    RootRule,
    S,
    buffer_size,
    has_single_root,
    is_headless,
    pop,
    put_back,
)
from ..state.gold cimport Gold
from .base cimport LeftArc, Push, RightArc, Transition, TransitionSystem
from .lost_arcs cimport (
    dependents_in_buffer,
    head_in_beta,
    head_on_stack,
    headless_dependents_on_stack,
)

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, REDUCE, LEFT, RIGHT, UNSHIFT

# ---- terms of the formulas ----------------------------------------------------------

cdef inline bint head_is_late_root(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """1 if (ROOT,d) in T could still be added after the last transition."""
    return c.root != ROOT_LAST and gold.head[d] == ROOT


# ---- the transitions -----------------------------------------------------------------

@cython.final
cdef class Shift(Push):
    """SHIFT: push the front of the buffer.

    Precondition: b exists and is not ROOT; UNSHIFT has not put it back (or, with ROOT
        last, the stack is empty, so that the surviving word goes back before ROOT takes
        it).
    Effect: (sigma, b|beta, A) -> (sigma|b, beta, A)
    Cost: b gets no head and no dependent from the stack any more.
        C(SHIFT) = |{(k,b) in T : k in s|sigma}|
                 + |{(b,k) in T : k in s|sigma, k headless}|
        where ROOT, if it stands first, does not count as a k.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) > ROOT and (not c.nodes[N(c, 0)].marked or c.stack_size == 0)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int b = N(c, 0)
        return (
            (head_on_stack(c, gold, b) and gold.head[b] != ROOT)
            + headless_dependents_on_stack(c, gold, b)
        )


@cython.final
cdef class Reduce(Transition):
    """REDUCE: pop the stack.

    Precondition: s exists and has a head; with one root, the word below ROOT, standing
        first, stays until the buffer is empty: everything else can still be attached to
        it.
    Effect: (sigma|s, beta, A) -> (sigma, beta, A)
    Cost: s gets no more dependents from the buffer.
        C(REDUCE) = |{(s,k) in T : k in b|beta}|
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        cdef int s = S(c, 0)
        if s == NO_NODE or is_headless(c, s):
            return False
        if c.root_rule == RootRule.ONE and c.nodes[s].head == ROOT:
            return buffer_size(c) == 0
        return True

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        pop(c)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return dependents_in_buffer(c, gold, S(c, 0))


@cython.final
cdef class Left(LeftArc):
    """LEFT_lb: make the top of the stack a dependent of the front of the buffer.

    Precondition: s and b exist, s is headless and not ROOT; under the tree constraint
        with ROOT last, ROOT takes a word only when no other headless word is left.
    Effect: (sigma|s, b|beta, A) -> (sigma, b|beta, A + (b,lb,s))
    Cost: s gets no other head and no more dependents.
        C(LEFT) = |{(k,s) in T : k in beta}| + |{(s,k) in T : k in b|beta}|
        plus 1 if (ROOT,s) in T could have been added at the end.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        cdef int s = S(c, 0)
        cdef int b = N(c, 0)
        if s == NO_NODE or b == NO_NODE or s == ROOT or not is_headless(c, s):
            return False
        return b != ROOT or not has_single_root(c) or c.n_headless == 1

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s = S(c, 0)
        return (
            head_in_beta(c, gold, s)
            + dependents_in_buffer(c, gold, s)
            + head_is_late_root(c, gold, s)
        )


@cython.final
cdef class Right(RightArc):
    """RIGHT_lb: make the front of the buffer a dependent of the top of the stack, and
    push it.

    Precondition: s and b exist, b is not ROOT; with one root, ROOT, standing first,
        takes one word only: the first one, or, where it is to wait, the last one in the
        buffer (whatever the stack held above ROOT has a head then).
    Effect: (sigma|s, b|beta, A) -> (sigma|s|b, beta, A + (s,lb,b))
    Cost: b gets no other head, and no more dependents from the stack.
        C(RIGHT) = |{(k,b) in T : k in sigma or k in beta}|
                 + |{(b,k) in T : k in s|sigma, k headless}|
        plus 1 if (ROOT,b) in T could have been added at the end.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if S(c, 0) == NO_NODE or N(c, 0) == NO_NODE or N(c, 0) == ROOT:
            return False
        if S(c, 0) == ROOT and c.root_rule == RootRule.ONE:
            return c.nodes[ROOT].n_right == 0
        if S(c, 0) == ROOT and c.root_rule == RootRule.ONE_AT_END:
            return buffer_size(c) == 1
        return True

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s = S(c, 0)
        cdef int b = N(c, 0)
        cdef int head = gold.head[b]
        cdef int cost = headless_dependents_on_stack(c, gold, b)
        if head == s:
            return cost
        if head_is_late_root(c, gold, b):
            return cost + 1
        return cost + head_on_stack(c, gold, b) + head_in_beta(c, gold, b)


@cython.final
cdef class Unshift(Transition):
    """UNSHIFT: put a word that is still headless at the end back into the buffer.

    Precondition (tree constraint only): no word is in the buffer, s is headless and not
        ROOT, and parsing could not end here.
    Effect: (sigma|s, [], A, e) -> (sigma, [s], A, e). The end of the input has been
        seen, which is e, where no word is in the buffer or one that was put back.
    Cost: 0. Training never gets here, where it would not be exact; but no arc that
        transitions without cost have left for ROOT to take is lost.

    It is only ever forced, so the model has no class for it.

    Source: Nivre & Fernandez-Gonzalez 2014, section 3. With ROOT last the buffer
    counts as empty when only ROOT is left in it.
    """

    def __cinit__(self):
        self.scored = False

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if not has_single_root(c) or N(c, 0) > ROOT:
            return False
        if S(c, 0) == NO_NODE or S(c, 0) == ROOT or not is_headless(c, S(c, 0)):
            return False
        return c.root == ROOT_FIRST or c.n_headless > 1

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        c.nodes[S(c, 0)].marked = True
        put_back(c, pop(c))


cdef class ArcEager(TransitionSystem):
    """The arc-eager transition system.

    - Initial: all words in the buffer, followed by ROOT if it stands last; the stack is
      empty, or holds ROOT if it stands first.
    - Terminal: ROOT last: empty stack and only ROOT in the buffer, after 2n
      transitions. Otherwise an empty buffer, after 2n - k transitions, k words left on
      the stack. With the tree constraint there are less than 4(n + 1) transitions;
      where ROOT does not stand last, e, an empty buffer and one node on the stack;
      without a ROOT node also e, an empty stack and one word in the buffer, which is
      the root.
    - Costs: with the tree constraint they are those of the system without it, which
      training uses (section 4). There is no formula for the true ones, which differ
      because UNSHIFT makes more arcs possible and others impossible.

    Args:
        root: "last" (Goldberg & Nivre 2013), "first" or "none" (Nivre &
            Fernandez-Gonzalez 2014, section 2): with the latter two parsing stops when
            the buffer is empty, and words that are still headless are attached to ROOT.
        tree_constraint: End with UNSHIFT instead of that attachment, which gives a tree
            with one root (with root="first" ROOT can still get several dependents,
            which `RootRule.ONE` forbids). It is the `single_root` of this system.
    """

    root_places = ("last", "first", "none")
    static_preferences = {
        # Words leave the stack as soon as they are finished.
        "reduce": (LEFT, RIGHT, REDUCE, SHIFT),
        # Nivre's canonical oracle: a finished word stays until it is in the way.
        "shift": (LEFT, RIGHT, SHIFT, REDUCE),
    }
    default_features = "spacy_dynoracle.ZhangNivre2011.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichEager.v1"
    single_root_name = "tree_constraint"
    single_root_help = "Unshift instead of root attachment"
    unshifts = True

    def __cinit__(self, *_, **__):
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Reduce(), Left(), Right(), Unshift())

    def __init__(
        self,
        root: Literal["last", "first", "none"] | None = None,
        tree_constraint: bool | None = None,
        root_label_constraint=False,
    ):
        super().__init__(root, tree_constraint, root_label_constraint)

    cdef unsigned int legal_set(self, const ConfigurationC* c) noexcept nogil:
        """LEGAL(c), here without a virtual call for each transition."""
        return (
            <unsigned int>(<Shift>self.transitions[SHIFT]).legal(c) << SHIFT
            | <unsigned int>(<Reduce>self.transitions[REDUCE]).legal(c) << REDUCE
            | <unsigned int>(<Left>self.transitions[LEFT]).legal(c) << LEFT
            | <unsigned int>(<Right>self.transitions[RIGHT]).legal(c) << RIGHT
            | <unsigned int>(<Unshift>self.transitions[UNSHIFT]).legal(c) << UNSHIFT
        )

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        if c.length == 0:
            return True
        if c.root == ROOT_LAST:
            return c.stack_size == 0 and N(c, 0) == ROOT
        if not has_single_root(c):
            return buffer_size(c) == 0
        if c.root == ROOT_NONE and c.stack_size == 0:
            return buffer_size(c) == 1 and c.nodes[N(c, 0)].marked
        return buffer_size(c) == 0 and c.stack_size == 1

    cdef unsigned int by_transition(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """The correct ones without SHIFT if ROOT stands first and is to take b."""
        if c.root != ROOT_FIRST or N(c, 0) <= ROOT or gold.head[N(c, 0)] != ROOT:
            return correct
        return correct & ~(1u << SHIFT) or correct

    cdef bint has_costs(
        self, const ConfigurationC* c, unsigned int legal
    ) noexcept nogil:
        """Whether UNSHIFT makes no difference yet.

        The costs are those of the system without it (Nivre & Fernandez-Gonzalez 2014,
        section 4).
        """
        if not has_single_root(c):
            return True
        if legal >> UNSHIFT & 1:
            return False
        if N(c, 0) > ROOT and not c.nodes[N(c, 0)].marked:
            return True
        return legal & (legal - 1) == 0

    @property
    def tree_constraint(self) -> bool | None:
        """Whether parsing ends with UNSHIFT; None if a component may decide."""
        return self.single_root

    def default_root_rule(self) -> RootRule:
        """The tree constraint, if it is on. With root="first", ROOT may have several
        dependents under it, as in Nivre & Fernandez-Gonzalez (2014); `RootRule.ONE`
        allows one.
        """
        return RootRule.TREE if self.single_root else RootRule.ANY

    def keeping_root_rule(self, root_rule: RootRule) -> RootRule:
        """With one root and root="first", ROOT waits for the word that is left at the
        end: a word that it took earlier could not make way for a given root.
        """
        return RootRule.ONE_AT_END if root_rule == RootRule.ONE else root_rule

    def training_root_rule(self, single_root: bool) -> RootRule:
        """Any number of roots: UNSHIFT is not learned (Nivre & Fernandez-Gonzalez 2014,
        section 4).
        """
        return RootRule.ANY
