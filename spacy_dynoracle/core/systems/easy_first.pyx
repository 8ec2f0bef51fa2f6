# cython: boundscheck=False, wraparound=False
"""Easy-first (Goldberg & Elhadad 2010), with its dynamic oracle.

A configuration is a list lambda of nodes, l_1 to l_m, and the arcs A. Each decision
picks a pair of neighbours and makes one a dependent of the other, which leaves the
list.

The list lies in stack and buffer together, cut between the two nodes of the pair in
*focus*: the top of the stack is l_i and the front of the buffer l_(i+1). What a
transition, its cost or a feature template says about the top of the stack and the front
of the buffer is thus said about that pair. Moving the focus moves nodes from one side
to the other and changes nothing else.

Goldberg & Nivre (2013) number a transition by its head: their RIGHT^i is RIGHT with
focus i, their LEFT^(i+1) is LEFT with focus i. Goldberg & Elhadad call these two
AttachLeft(i) and AttachRight(i).
"""
from libc.string cimport memcpy
from libcpp.algorithm cimport lower_bound

from ..state.configuration cimport (
    NO_NODE,
    REDUCED,
    ROOT,
    Configuration,
    ConfigurationC,
    N,
    S,
    add_arc,
    buffer_size,
    has_single_root,
    next_word,
)
from ..state.gold cimport UNKNOWN, Gold
from .base cimport LeftArc, RightArc, RowRange, TransitionSystem

# The numbers of the transitions, from 0 on.
cdef enum:
    LEFT, RIGHT

cdef void focus(ConfigurationC* c, int i) noexcept nogil:
    """Put the pair (l_i, l_(i+1)) into focus, 1 <= i < m.

    Nodes keep the `place` where they were, because what matters here is only whether
    they are in the list. In a long text the focus moves far.
    """
    cdef int n = c.stack_size - i
    if n > 0:
        c.front -= n
        memcpy(c.buffer + c.front, c.stack + i, n * sizeof(int))
    elif n < 0:
        memcpy(c.stack + c.stack_size, c.buffer + c.front, -n * sizeof(int))
        c.front -= n
    c.stack_size = i


cdef int n_below(const int* nodes, int n, int node) noexcept nogil:
    """How many of the first n nodes, which are in order, stand before a node."""
    return <int>(lower_bound(nodes, nodes + n, node) - nodes)


cdef int n_pairs(const ConfigurationC* c) noexcept nogil:
    """m - 1, the number of pairs of neighbours."""
    return c.stack_size + buffer_size(c) - 1


# ---- lost arcs: the terms of the cost formula ---------------------------------------

cdef inline bint in_list(const ConfigurationC* c, int k) noexcept nogil:
    return c.nodes[k].place != REDUCED


cdef inline int lost_arcs(
    const ConfigurationC* c, const Gold* gold, int h, int d
) noexcept nogil:
    """|{(k,d) in T : k in lambda, k != h}| + |{(d,k) in T : k in lambda}|"""
    cdef int i
    cdef int k = gold.head[d]
    cdef int n = k != UNKNOWN and k != h and in_list(c, k)
    for i in range(gold.first[d], gold.first[d + 1]):
        n += in_list(c, gold.dependents[i])
    return n


# ---- the transitions -----------------------------------------------------------------

cdef class Left(LeftArc):
    """LEFT_lb: make l_i a dependent of l_(i+1).

    Precondition: there is such a pair, and l_i is not ROOT.
    Effect: add (l_(i+1), lb, l_i), delete l_i from the list.
    Cost: l_i gets no other head and no more dependents.
        C(LEFT) = |{(k,l_i) in T : k in lambda, k != l_(i+1)}|
                + |{(l_i,k) in T : k in lambda}|
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return S(c, 0) != NO_NODE and S(c, 0) != ROOT and N(c, 0) != NO_NODE

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return lost_arcs(c, gold, N(c, 0), S(c, 0))


cdef class Right(RightArc):
    """RIGHT_lb: make l_(i+1) a dependent of l_i.

    Precondition: there is such a pair; with a single root, l_i is not ROOT unless the
        list has only these two nodes.
    Effect: add (l_i, lb, l_(i+1)), delete l_(i+1) from the list.
    Cost: l_(i+1) gets no other head and no more dependents.
        C(RIGHT) = |{(k,l_(i+1)) in T : k in lambda, k != l_i}|
                 + |{(l_(i+1),k) in T : k in lambda}|
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        if S(c, 0) == NO_NODE or N(c, 0) == NO_NODE:
            return False
        return S(c, 0) != ROOT or not has_single_root(c) or n_pairs(c) == 1

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int d = next_word(c)
        add_arc(c, S(c, 0), label, d)
        c.nodes[d].place = REDUCED

    cdef int cost(self, const ConfigurationC* c, const Gold* gold) noexcept nogil:
        return lost_arcs(c, gold, S(c, 0), N(c, 0))


cdef class EasyFirst(TransitionSystem):
    """The easy-first transition system.

    `legal`, `costs`, `cost` and `apply` refer to the pair in focus; `focus` moves it.

    - Initial: lambda = ROOT, w_1 .. w_n, the focus on (ROOT, w_1).
    - Terminal: lambda = ROOT, after n transitions.

    Source: Goldberg & Elhadad 2010, section 3; Goldberg & Nivre 2013, sections 2.2 and
    4.5 for the costs.

    Args:
        root: "first"; ROOT is l_1.
        single_root: ROOT takes a word only when that is the last one.
        root_label_constraint: See `TransitionSystem`.
    """

    root_places = ("first",)
    chooses_pair = True
    repeats_decisions = True
    suits_beam = False
    default_features = "spacy_dynoracle.GoldbergNivre2013EasyFirst.v1"

    def __cinit__(self, *_, **__):
        self.left, self.right = LEFT, RIGHT
        self.add(Left(), Right())

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return n_pairs(c) < 1

    # ---- rows: row i - 1 is the pair (l_i, l_(i+1)), its slot the number of l_i ------

    cdef int n_slots(self, int length) noexcept nogil:
        return length + 1

    cdef int n_rows(self, const ConfigurationC* c) noexcept nogil:
        return n_pairs(c)

    cdef int slot(self, const ConfigurationC* c, int row) noexcept nogil:
        if row < c.stack_size:
            return c.stack[row]
        return c.buffer[c.front + row - c.stack_size]

    cdef int row_in(self, const ConfigurationC* c, int slot) noexcept nogil:
        if c.stack_size and slot <= S(c, 0):
            return n_below(c.stack, c.stack_size, slot)
        return c.stack_size + n_below(c.buffer + c.front, buffer_size(c), slot)

    cdef int focus_row(self, ConfigurationC* c, int row) noexcept nogil:
        focus(c, row + 1)
        return S(c, 0)

    cdef RowRange touched(self, const ConfigurationC* c) noexcept nogil:
        """The pairs that see the list or the arcs otherwise.

        The head of the new arc is the top of the stack or the front of the buffer, and
        a pair sees two nodes to the left of it and two to the right.
        """
        return RowRange(
            first=max(c.stack_size - 4, 0), end=min(c.stack_size + 3, n_pairs(c))
        )

    def focus(self, Configuration c not None, int i) -> None:
        """Put the i-th pair of neighbours (l_i, l_(i+1)), counted from 1, into focus.

        Raises:
            ValueError: When there is no such pair.
        """
        if not 1 <= i <= n_pairs(&c.c):
            raise ValueError(
                f"there is no pair {i} in {c!r}, which has {n_pairs(&c.c)} pairs of "
                f"neighbours"
            )
        focus(&c.c, i)
