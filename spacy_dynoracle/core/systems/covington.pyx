# cython: boundscheck=False, wraparound=False
"""Covington's system (Covington 2001; Nivre 2008) with jumps: any tree, crossing arcs
too, with a dynamic oracle that is exact if ROOT may have several dependents.

Notation: c = (lambda1|i, lambda2, b|beta, A), T the gold arcs, g(d) the gold head of d.
The focus i walks from the word before b to the left, and arcs are made between i and b.
The stack is lambda1, the words up to i; those between i and b, lambda2, count as
reduced until b is shifted. ROOT stands last.

No word is removed for good, so arcs may cross. In the system of 2008 the walk visits
every word. Here it leaves out words with which b cannot have an arc, because one of the
two would get a second head or there would be a cycle, and JUMP passes over all words
with which b cannot have an arc that crosses none of A: nearly all walks are short then,
and PASS is for the arcs that cross.

An arc (h,d) of T is *reachable* by itself if d has no head, one of the two is in the
buffer, and none of them is in lambda2 if the other is b. With A these arcs give no word
two heads, but they may form cycles, each of which must lose one. So the least loss is
|unreachable arcs of T| + |cycles| (Gomez-Rodriguez & Fernandez-Gonzalez 2015), and
C(t; c, T) is that of t(c) less that of c. A transition changes few arcs, so that costs
look at these and at the paths from their ends.
"""
from ..state.configuration cimport (
    NO_NODE,
    REDUCED,
    ROOT,
    ConfigurationC,
    N,
    S,
    add_arc,
    has_single_root,
    in_buffer,
    is_headless,
    next_word,
    on_stack,
    pop,
    push,
)
from ..state.gold cimport Gold
from .base cimport Arc, ArcTransition, RightArc, Transition, TransitionSystem

# The numbers of the transitions, from 0 on.
cdef enum:
    SHIFT, LEFT, RIGHT, PASS, JUMP

# ---- the walk ------------------------------------------------------------------------

cdef inline int top_of(const ConfigurationC* c, int k) noexcept nogil:
    """The topmost node above a node, or the node itself if it is headless."""
    while not is_headless(c, k):
        k = c.nodes[k].head
    return k


cdef inline bint may_take(const ConfigurationC* c, int h, int d) noexcept nogil:
    """Whether (h,d) gives d one head and closes no cycle."""
    return is_headless(c, d) and d != ROOT and top_of(c, h) != d


cdef void walk_to(ConfigurationC* c, int k) noexcept nogil:
    """Move the focus to a word, or on to the next one with which b can have an arc."""
    cdef int b = N(c, 0)
    while S(c, 0) > k or (
        S(c, 0) != NO_NODE
        and not may_take(c, b, S(c, 0))
        and not may_take(c, S(c, 0), b)
    ):
        pop(c)


cdef void begin_walk(ConfigurationC* c) noexcept nogil:
    """Put the focus on the word before b, or on the next one to the left."""
    cdef int k
    cdef int end = c.length + 1 if N(c, 0) == ROOT else N(c, 0)
    for k in range(max(S(c, 0), 0) + 1, end):
        push(c, k)
    walk_to(c, end)


cdef inline int jump_target(const ConfigurationC* c) noexcept nogil:
    """The next word to the left that A lets b reach without crossing; 0 if none is."""
    cdef int k = S(c, 0)
    if ROOT < c.nodes[k].head < k:
        return c.nodes[k].head
    while c.nodes[k].leftmost != NO_NODE:
        k = c.nodes[k].leftmost
    return k - 1


cdef inline bint has_its_root(const ConfigurationC* c) noexcept nogil:
    """Whether ROOT has all the dependents that it may have."""
    return has_single_root(c) and c.nodes[ROOT].leftmost != NO_NODE


cdef inline int head_to_the_right(const ConfigurationC* c) noexcept nogil:
    """The head that LEFT gives to i."""
    return c.nodes[ROOT].leftmost if has_its_root(c) else N(c, 0)


# ---- terms of the costs --------------------------------------------------------------

cdef inline bint is_reachable(const ConfigurationC* c, int h, int d) noexcept nogil:
    """Whether the place of h and d lets (h,d) be added; d is headless."""
    if h == ROOT and (has_its_root(c) or not has_single_root(c)):
        return not has_its_root(c)
    if h == N(c, 0) or d == N(c, 0):
        return c.nodes[d if h == N(c, 0) else h].place != REDUCED
    return in_buffer(c, h) or in_buffer(c, d)


cdef inline int next_on_path(
    const ConfigurationC* c, const Gold* gold, int d
) noexcept nogil:
    """The head of d in A or by a reachable arc of T; NO_NODE if it has none."""
    cdef int h = gold.head[d]
    if not is_headless(c, d):
        return c.nodes[d].head
    return h if h >= ROOT and is_reachable(c, h, d) else NO_NODE


cdef int last_before(
    const ConfigurationC* c, const Gold* gold, int k, int end
) noexcept nogil:
    """The last node on the path from k to another node; NO_NODE if it does not lead
    there.
    """
    cdef int _, following
    # A path may end in a cycle, but it has no more nodes than the sentence.
    for _ in range(c.length):
        following = next_on_path(c, gold, k)
        if following == end:
            return k
        if following <= ROOT:
            return NO_NODE
        k = following
    return NO_NODE


cdef int cost_of_arc(
    const ConfigurationC* c, const Gold* gold, int h, int d
) noexcept nogil:
    """The loss of adding (h,d), one of the two being i and the other b.

    d loses its gold head, which costs nothing if a cycle had lost it anyway. Besides,
    (d,h) is lost if it was gold, or else the new arc may close a cycle.
    """
    cdef int lost
    if gold.head[d] == h:
        return 0
    lost = (
        next_on_path(c, gold, d) != NO_NODE and last_before(c, gold, d, d) == NO_NODE
    )
    if gold.head[h] == d and next_on_path(c, gold, h) == d:
        return lost + 1
    return lost + (h != ROOT and last_before(c, gold, h, d) != NO_NODE)


cdef int cost_of_passing(
    const ConfigurationC* c, const Gold* gold, int target
) noexcept nogil:
    """The loss of moving the focus to a word to the left: the arcs of T between b and
    the words passed, but one of them less if they are on a cycle; there is one cycle at
    most with arcs of b.
    """
    cdef int b = N(c, 0)
    cdef int n_lost = 0
    cdef int i, k, last
    cdef bint is_head_lost = is_headless(c, b) and target < gold.head[b] <= S(c, 0)
    if b == ROOT and not has_single_root(c):
        return 0
    for i in range(gold.first[b], gold.first[b + 1]):
        k = gold.dependents[i]
        n_lost += target < k <= S(c, 0) and is_headless(c, k)
    n_lost += is_head_lost
    if n_lost == 0 or b == ROOT:
        return n_lost
    last = last_before(c, gold, b, b)
    if last != NO_NODE and (
        is_head_lost or (target < last <= S(c, 0) and is_headless(c, last))
    ):
        n_lost -= 1
    return n_lost


# ---- the transitions -----------------------------------------------------------------

cdef class Shift(Transition):
    """SHIFT: end the walk of b.

    Precondition: b is not ROOT.
    Effect: (lambda1, lambda2, b|beta, A) -> (lambda1.lambda2|b, [], beta, A)
    Cost: the arcs of T between b and lambda1, less a cycle that they break.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) > ROOT

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        next_word(c)
        begin_walk(c)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_passing(c, gold, ROOT)


cdef class Left(ArcTransition):
    """LEFT_lb: make i a dependent of b.

    Precondition: i exists, is headless and is not above b.
    Effect: (lambda1|i, lambda2, b|beta, A) -> (lambda1, i|lambda2, b|beta, A+(b,lb,i))
        If ROOT is b and may have one dependent, i becomes it and the walk begins again
        at the last word. From then on LEFT makes i a dependent of that word, so that
        every word gets a head.
    Cost: i loses its gold head and the arc (i,b), or there is a new cycle (see
        `cost_of_arc`); where ROOT is to have one dependent, ROOT loses the other ones.
        That ROOT's dependent can take others then is left out of account.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return S(c, 0) != NO_NODE and may_take(c, N(c, 0), S(c, 0))

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int h = head_to_the_right(c)
        add_arc(c, h, label, S(c, 0))
        if h == ROOT and has_single_root(c):
            begin_walk(c)
        else:
            walk_to(c, S(c, 0) - 1)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        cdef int h = head_to_the_right(c)
        cdef int cost = cost_of_arc(c, gold, h, S(c, 0))
        cdef int i, k
        if h == ROOT and has_single_root(c):
            for i in range(gold.first[ROOT], gold.first[ROOT + 1]):
                k = gold.dependents[i]
                cost += k != S(c, 0) and is_headless(c, k) and on_stack(c, k)
        return cost

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=head_to_the_right(c), dependent=S(c, 0))


cdef class Right(RightArc):
    """RIGHT_lb: make b a dependent of i.

    Precondition: i exists; b is headless, not ROOT and not above i.
    Effect: (lambda1|i, lambda2, b|beta, A) -> (lambda1, i|lambda2, b|beta, A+(i,lb,b))
    Cost: b loses its gold head and the arc (b,i), or there is a new cycle (see
        `cost_of_arc`).
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return S(c, 0) != NO_NODE and may_take(c, S(c, 0), N(c, 0))

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        add_arc(c, S(c, 0), label, N(c, 0))
        walk_to(c, S(c, 0) - 1)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_arc(c, gold, S(c, 0), N(c, 0))


cdef class Pass(Transition):
    """PASS: go on to the word before i, without an arc (NO-ARC of the system of 2008).

    Precondition: there is such a word. If b is ROOT: it may have several dependents
        (and takes what it has passed in the end), or it has none and another word of
        lambda1 is headless.
    Effect: (lambda1|i, lambda2, b|beta, A) -> (lambda1, i|lambda2, b|beta, A)
    Cost: the arc of T between i and b, unless it is on a cycle.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if N(c, 0) == ROOT:
            if not has_single_root(c):
                return c.stack_size > 0
            return c.n_headless > 1 and not has_its_root(c)
        return c.stack_size > 1

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        walk_to(c, S(c, 0) - 1)

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_passing(c, gold, S(c, 0) - 1)


cdef class Jump(Transition):
    """JUMP: go on to the next word with which b can have an arc that crosses none of A.

    It is the head of i if that is to the left; else the word before the first word
    below i, as the leftmost dependents lead there.

    Precondition: there is such a word, it is not the one before i, and b is not ROOT.
    Effect: (lambda1|k|mu, lambda2, b|beta, A) -> (lambda1|k, mu.lambda2, b|beta, A)
    Cost: the arcs of T between b and mu, less a cycle that they break.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return S(c, 0) != NO_NODE and N(c, 0) > ROOT and (
            ROOT < jump_target(c) < S(c, 0) - 1
        )

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        walk_to(c, jump_target(c))

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return cost_of_passing(c, gold, jump_target(c))


cdef class Covington(TransitionSystem):
    """Covington's transition system with jumps, for trees with crossing arcs.

    - Initial: an empty stack; the buffer holds the words, then ROOT.
    - Terminal: an empty stack and only ROOT in the buffer, after n SHIFT, at most n
      arcs and the steps of the walks: about one for two words of a text, n(n+1)/2 at
      most. A step takes as long as the focus moves, so that time grows with the square
      of the length at worst, and with the length if walks stay as short as they are in
      text. Words that ROOT has passed are attached to it at the end.
    - Costs are exact, for partial trees too, if ROOT may have several dependents. If it
      may have one, they leave out that its dependent takes the words that are left.

    Args:
        root: "last".
        single_root, root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("last",)
    static_preferences = {"shift": (LEFT, RIGHT, SHIFT, JUMP, PASS)}
    projective = False
    has_linear_costs = False
    # A beam copies configurations whose stacks differ in their tops only.
    suits_beam = False
    default_features = "spacy_dynoracle.RichCovington.v1"
    default_features_with_both_tags = "spacy_dynoracle.RichCovingtonTwoTags.v1"

    def __cinit__(self, *_, **__):
        self.shift, self.left, self.right = SHIFT, LEFT, RIGHT
        self.add(Shift(), Left(), Right(), Pass(), Jump())

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return c.stack_size == 0 and N(c, 0) == ROOT

    cdef unsigned int to_learn(
        self, unsigned int correct, const ConfigurationC* c, const Gold* gold
    ) noexcept nogil:
        """The correct ones without PASS and JUMP if SHIFT is correct, and without PASS
        if JUMP is. ROOT takes its dependents, if any are known, and passes other words.
        """
        cdef unsigned int other
        if N(c, 0) == ROOT:
            if gold.first[ROOT] == gold.first[ROOT + 1]:
                return correct
            other = PASS if gold.head[S(c, 0)] == ROOT else LEFT
            return correct & ~(1u << other) or correct
        if correct >> SHIFT & 1:
            return correct & ~(1u << PASS | 1u << JUMP)
        return correct & ~(1u << PASS) if correct >> JUMP & 1 else correct

    def transitions_of(self, int head, int dependent) -> tuple[str, ...]:
        """The only dependent of ROOT may take words before and behind it by LEFT."""
        return ("LEFT",) if dependent < head or head == ROOT else ("RIGHT", "LEFT")
