# cython: boundscheck=False, wraparound=False
"""Non-monotonic arc-eager (Honnibal & Johnson 2015), with its dynamic oracle.

Arc-eager whose later decisions may repair earlier ones:

* LEFT is legal also where s has a head, which it replaces (Honnibal, Goldberg & Johnson
  2013);
* a headless s may go back to the buffer at any time, by UNSHIFT, which marks it. A
  marked word is shifted only where the stack is empty, and never goes back again, so
  that derivations end.

Notation as in `arc_eager`: c = (sigma|s, b|beta, A), T the gold arcs. Arcs of A can
stay. Others can still be added

* if both words are in the buffer, or one of them is in the buffer and the other one on
  the stack, with or without a head;
* if both are on the stack and the right one *can go back*: it is headless, not marked
  and not at the bottom.

With one root and ROOT last, ROOT takes the word at the bottom of the stack when it is
alone. That word never had a head, so ROOT can take no word that has one.

Arcs of a projective tree that are reachable one by one are reachable together, as
exhaustive search finds (see the tests), so costs are sums over single arcs. SHIFT and
UNSHIFT lose none: each can be undone. That is why a transition that needs a repair
later is not correct, although its cost is 0, where there is another one (see
`to_learn`).

The costs in the code of the authors (redshift of 2013, later spaCy's parser) are
approximate: SHIFT loses the arcs between b and the stack, and RIGHT a gold head of b in
beta, though UNSHIFT (in 2013 REDUCE) and LEFT can still make such arcs. The costs here
equal those of exhaustive search.

All derivations end with a complete tree: UNSHIFT is there for the words that are left,
so none has to be attached to ROOT at the end. Without a ROOT node one would have to be:
this placement is not offered.
"""
from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ROOT_FIRST,
    ROOT_LAST,
    ConfigurationC,
    N,
    S,
    buffer_size,
    has_single_root,
    is_headless,
    pop,
    put_back,
    remove_arc,
)
from ..state.gold cimport Gold, is_gold
from .base cimport LeftArc, Push, RightArc, Transition, TransitionSystem
from .lost_arcs cimport (
    dependents_in_buffer,
    dependents_on_stack,
    head_below_top,
    head_in_beta,
    head_in_buffer,
    head_on_stack,
)

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, REDUCE, LEFT, RIGHT, UNSHIFT

# ---- terms of the formulas ----------------------------------------------------------

cdef inline bint root_is_out_of_reach(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """1 if the gold head of d is ROOT, standing last, which takes one word, and d has
    another head.
    """
    return (
        has_single_root(c)
        and c.root == ROOT_LAST
        and gold.head[d] == ROOT
        and not is_headless(c, d)
    )


cdef inline int arcs_by_going_back(
    const ConfigurationC* c, const Gold* gold
) noexcept nogil:
    """|{(k,s) in T : k in sigma}| + |{(s,k) in T : k in sigma}|"""
    return head_below_top(c, gold, S(c, 0)) + dependents_on_stack(c, gold, S(c, 0))


cdef inline bint can_go_back(const ConfigurationC* c) noexcept nogil:
    """Whether s is a headless word that is not marked and not at the bottom."""
    cdef int s = S(c, 0)
    return (
        c.stack_size > 1 and s != ROOT and is_headless(c, s) and not c.nodes[s].marked
    )


# ---- the transitions -----------------------------------------------------------------

cdef class Shift(Push):
    """SHIFT: push the front of the buffer.

    Precondition: b exists and is not ROOT; it is not marked or the stack is empty.
    Effect: (sigma, b|beta, A) -> (sigma|b, beta, A)
    Cost: 0, because UNSHIFT can follow.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) > ROOT and (not c.nodes[N(c, 0)].marked or c.stack_size == 0)


cdef class Reduce(Transition):
    """REDUCE: pop the stack.

    Precondition: s exists and has a head; with one root, the word below ROOT, standing
        first, stays until the buffer is empty.
    Effect: (sigma|s, beta, A) -> (sigma, beta, A)
    Cost: s gets no more dependents from the buffer, and no other head.
        C(REDUCE) = |{(s,k) in T : k in b|beta}| + |{(k,s) in T : k in b|beta}|
        where ROOT, if it takes one word and stands last, does not count as a k.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        cdef int s = S(c, 0)
        if s == NO_NODE or is_headless(c, s):
            return False
        return (
            not has_single_root(c) or c.nodes[s].head != ROOT or buffer_size(c) == 0
        )

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        pop(c)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s = S(c, 0)
        cdef int cost = dependents_in_buffer(c, gold, s)
        if root_is_out_of_reach(c, gold, s):
            return cost
        return cost + head_in_buffer(c, gold, s)


cdef class Left(LeftArc):
    """LEFT_lb: make the top of the stack a dependent of the front of the buffer.

    Precondition: s and b exist, s is not ROOT; with one root and ROOT last, ROOT takes
        a word only when it is alone on the stack.
    Effect: (sigma|s, b|beta, A) -> (sigma, b|beta, A - (k,lb',s) + (b,lb,s)), where k
        is the head of s so far, if it has one
    Cost: s gets no other head and no more dependents, and loses the head that it had.
        C(LEFT) = |{(k,s) in T : k in beta}| + |{(s,k) in T : k in b|beta}|
                + |{(k,s) in T : (k,lb',s) in A}|
        plus |{(k,s) in T : k in sigma}| + |{(s,k) in T : k in sigma}| if s can go back.
        In the first term ROOT, if it takes one word and stands last, does not count if
        s has a head.
    """

    def __cinit__(self):
        self.replaces = True

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        cdef int b = N(c, 0)
        if S(c, 0) == NO_NODE or b == NO_NODE or S(c, 0) == ROOT:
            return False
        return b != ROOT or not has_single_root(c) or c.stack_size == 1

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int s = S(c, 0)
        if not is_headless(c, s):
            remove_arc(c, s)
        LeftArc.apply(self, c, label)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int s = S(c, 0)
        cdef int cost = dependents_in_buffer(c, gold, s)
        if not root_is_out_of_reach(c, gold, s):
            cost += head_in_beta(c, gold, s)
        if not is_headless(c, s):
            return cost + is_gold(gold, c.nodes[s].head, s)
        return cost + (arcs_by_going_back(c, gold) if can_go_back(c) else 0)


cdef class Right(RightArc):
    """RIGHT_lb: make the front of the buffer a dependent of the top of the stack, and
    push it.

    Precondition: s and b exist, b is not ROOT; with one root, ROOT, standing first,
        takes a word only if it has none.
    Effect: (sigma|s, b|beta, A) -> (sigma|s|b, beta, A + (s,lb,b))
    Cost: b cannot go back, so that it gets no other head from the stack and no more
        dependents from there.
        C(RIGHT) = |{(k,b) in T : k in sigma}| + |{(b,k) in T : k in s|sigma}|
        plus 1 if (ROOT,b) in T and ROOT takes one word and stands last.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if S(c, 0) == NO_NODE or N(c, 0) == NO_NODE or N(c, 0) == ROOT:
            return False
        return (S(c, 0) != ROOT or not has_single_root(c) or c.nodes[ROOT].n_right == 0)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int b = N(c, 0)
        return (
            head_below_top(c, gold, b)
            + dependents_on_stack(c, gold, b)
            + (has_single_root(c) and c.root == ROOT_LAST and gold.head[b] == ROOT)
        )


cdef class Unshift(Transition):
    """UNSHIFT: put a headless word back into the buffer, and mark it.

    Precondition: s can go back: it is a headless word that is not marked, and not at
        the bottom of the stack, from where it could only return.
    Effect: (sigma|s, beta, A) -> (sigma, s|beta, A), and s is marked
    Cost: 0, because RIGHT and LEFT can follow.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return can_go_back(c)

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        c.nodes[S(c, 0)].marked = True
        put_back(c, pop(c))


cdef class NonMonotonicArcEager(TransitionSystem):
    """Arc-eager that can replace a head and put a headless word back into the buffer.

    - Initial: all words in the buffer, followed by ROOT if it stands last; the stack is
      empty, or holds ROOT if it stands first.
    - Terminal: only ROOT is left, in the buffer or on the stack, after 2n transitions
      and two for each UNSHIFT, of which there is at most one for each word.

    Args:
        root: "last", by default, or "first".
        single_root, root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("last", "first")
    static_preferences = {
        # Words leave the stack as soon as they are finished.
        "reduce": (LEFT, RIGHT, REDUCE, SHIFT),
        # Nivre's canonical oracle: a finished word stays until it is in the way.
        "shift": (LEFT, RIGHT, SHIFT, REDUCE),
    }
    default_features = "spacy_dynoracle.ZhangNivre2011.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichEager.v1"

    def __cinit__(self, *_, **__):
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Reduce(), Left(), Right(), Unshift())

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        if c.root == ROOT_FIRST:
            return c.stack_size == 1 and buffer_size(c) == 0
        return c.stack_size == 0 and N(c, 0) == ROOT

    cdef unsigned int to_learn(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """The correct ones without SHIFT where b has an arc of T with a word on the
        stack, without RIGHT where the gold head of b comes later, and without UNSHIFT
        where s has no arc of T with a word below it.
        """
        cdef int b = N(c, 0)
        cdef unsigned int rest = correct
        if rest >> SHIFT & 1 and (
            head_on_stack(c, gold, b) or dependents_on_stack(c, gold, b)
        ):
            rest &= ~(1u << SHIFT)
        if rest >> RIGHT & 1 and head_in_beta(c, gold, b):
            rest &= ~(1u << RIGHT)
        if rest >> UNSHIFT & 1 and not arcs_by_going_back(c, gold):
            rest &= ~(1u << UNSHIFT)
        return rest or correct
