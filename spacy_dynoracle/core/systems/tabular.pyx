# cython: boundscheck=False, wraparound=False
"""The costs of arc-standard, by dynamic programming.

In arc-standard single arcs can each be reachable and yet not together, so that counting
lost arcs is not enough. Instead

    C(t; c, T) = loss(t(c)) - loss(c)
    loss(c) = (number of words with a wrong arc in A) + M(stack, buffer, T)

where M is the least number of wrong arcs that any continuation adds. M does not depend
on A and is computed from two lists. The left list L_1 .. L_p is the stack from its top
to its bottom. The right list R_1 .. R_q begins with the top of the stack as well and
goes on with those words of the buffer that cannot be left to their gold heads.
X[i,j](r) is the least number of wrong arcs with which L_1 .. L_i and R_1 .. R_j can be
merged into one tree with root r; one more item, of the left or the right list, becomes
a dependent of r or the new root.

The left list leaves out nodes that can be attached at any time at the same cost, and
those at the bottom of the stack that are best left for ROOT (see `StackBottom`).

    M = X[p,q](ROOT)
      + (number of words outside of the lists that will have a wrong head for certain)

So the lists do not grow with the number of sentences in a text.

Source: Goldberg, Sartorio & Satta 2014, reconstructed; the conditions for the lists are
those that agree with exhaustive search, see the tests.
"""
from cython.operator cimport dereference
from libc.stdint cimport uint64_t
from libcpp.algorithm cimport lower_bound, sort
from libcpp.map cimport map
from libcpp.vector cimport vector

from ..state.configuration cimport (
    NO_NODE,
    REDUCED,
    ROOT,
    ROOT_LAST,
    ConfigurationC,
    N,
    S,
    has_single_root,
)
from ..state.gold cimport UNKNOWN, Gold, is_wrong
from .base cimport Costs, Transition
from .stack_bottom cimport StackBottom

cdef enum:
    # Far more than any loss, and it can be added to without overflow.
    IMPOSSIBLE = 0x20000000
    # The stack of a derivation that comes near the gold tree has fewer nodes that
    # cannot wait. The time for a table grows with the cube of their number.
    MANY_NODES = 64


cdef class TabularCosts(Costs):
    """C(t; c, T) for arc-standard.

    X[p,q](ROOT), without the words of the right list whose gold heads are gone, is
    remembered for the length of a text, so that in a derivation loss(c) is known from
    the step before. It depends on the left list and the length of the buffer alone.

    With gold trees that are not projective the lists leave out too much, so that costs
    are only nearly right and may be negative; the cheapest transition is still almost
    always optimal.

    Attributes:
        n_cells: The number of cells of all tables so far.
    """

    cdef readonly uint64_t n_cells
    # By the first of the buffer's places and the left list.
    cdef map[vector[int], int] known
    cdef vector[int] key
    # The configuration whose loss is computed: the stack from bottom to top, the first
    # of the buffer's places, and the node that a transition would take away.
    cdef vector[int] stack
    cdef int front
    cdef int taken
    cdef StackBottom bottom
    cdef vector[int] left
    cdef vector[int] right
    # For each node whether it is in the right list.
    cdef vector[char] marks
    # X[i,j] for i + j = d and for d + 1, by i and by the number of the root: those of
    # the left list first, then R_2, R_3 ...
    cdef vector[int] diagonal
    cdef vector[int] next_diagonal

    def __cinit__(self):
        self.bottom = StackBottom()

    cdef void start(self) noexcept nogil:
        self.known.clear()
        self.bottom.forget()
        self.left.clear()

    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        cdef int before, s0, s1, k
        cdef int added = 0
        self._read(c)
        before = self._further_loss(c, gold)
        if not (<Transition>self.system.transitions[t]).adds_arc:
            k = N(c, 0)
            # In the buffer it counted as a word that has lost its head.
            added -= k != ROOT and self._has_lost_head(c, gold, k)
            self.stack.push_back(k)
            self.front += 1
        else:
            arc = (<Transition>self.system.transitions[t]).arc(c)
            added += is_wrong(gold, arc.head, arc.dependent)
            added += gold.first[arc.dependent + 1]
            added -= self._first_in_buffer(gold, arc.dependent)
            self.taken = arc.dependent
            s0, s1 = S(c, 0), S(c, 1)
            self.stack.pop_back()
            if arc.dependent == s1:
                self.stack[self.stack.size() - 1] = s0
        return added + self._further_loss(c, gold) - before

    cdef bint are_slow(self) noexcept nogil:
        return self.left.size() > MANY_NODES

    cdef int _read(self, const ConfigurationC* c) except -1 nogil:
        self.stack.assign(c.stack, c.stack + c.stack_size)
        self.front = c.front
        self.taken = NO_NODE
        return 0

    cdef int _first_in_buffer(self, const Gold* gold, int k) noexcept nogil:
        """Where the gold dependents of a node in the buffer begin."""
        cdef int* first = gold.dependents + gold.first[k]
        cdef int* end = gold.dependents + gold.first[k + 1]
        return <int>(lower_bound(first, end, self.front) - gold.dependents)

    # ---- where nodes are -------------------------------------------------------------

    cdef bint _in_buffer(self, const ConfigurationC* c, int k) noexcept nogil:
        # The place of a word in the buffer is its number (see `clear`).
        if k == ROOT:
            return c.root == ROOT_LAST and self.front < c.end
        return k >= self.front

    cdef bint _is_gone(self, const ConfigurationC* c, int k) noexcept nogil:
        return k == self.taken or c.nodes[k].place == REDUCED

    cdef bint _has_lost_head(
        self, const ConfigurationC* c, const Gold* gold, int k
    ) noexcept nogil:
        return gold.head[k] != UNKNOWN and self._is_gone(c, gold.head[k])

    # ---- M without the words in the buffer that have lost their heads ----------------

    cdef int _further_loss(
        self, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        """M of `stack` and the buffer of `c` from `front` on, without the number of
        words in the buffer whose gold heads are gone.
        """
        cdef int k, loss, n_lost, table
        if self.stack.empty():
            return 0
        if self.stack.back() == ROOT and c.root == ROOT_LAST:
            # What is left becomes dependents of ROOT.
            loss = 0
            for k in self.stack:
                loss += k != ROOT and is_wrong(gold, ROOT, k)
            return loss
        loss = self._list_left(c, gold)
        self.key.assign(1, self.front)
        self.key.insert(self.key.end(), self.left.begin(), self.left.end())
        found = self.known.find(self.key)
        if found != self.known.end():
            return loss + dereference(found).second
        # `cost` counts all words of the buffer that have lost their heads.
        n_lost = self._list_right(c, gold)
        table = self._merge(c, gold) - n_lost
        self.known[self.key] = table
        return loss + table

    cdef int _list_left(
        self, const ConfigurationC* c, const Gold* gold
    ) except -1 nogil:
        """Fill the left list.

        Returns:
            How many of the words that are left out have lost their gold heads, or will
            lose them.
        """
        cdef int last = <int>self.stack.size() - 1
        cdef int end = 0
        cdef int loss = 0
        cdef int i, k
        if self._in_buffer(c, ROOT) and not has_single_root(c):
            loss = self.bottom.leave(self.stack, gold, &end)
        self.left.clear()
        self.left.push_back(self.stack[last])
        for i in range(last - 1, end - 1, -1):
            k = self.stack[i]
            if self._can_wait(c, gold, k):
                loss += self._has_lost_head(c, gold, k)
            else:
                self.left.push_back(k)
        return loss

    cdef bint _can_wait(
        self, const ConfigurationC* c, const Gold* gold, int k
    ) noexcept nogil:
        """Whether a node can be attached at any time at the same cost: nothing that is
        left has it for its gold head, and its own gold head is gone or unknown.
        """
        cdef int i
        if k == ROOT:
            return False
        for i in range(gold.first[k], gold.first[k + 1]):
            if not self._is_gone(c, gold.dependents[i]):
                return False
        return gold.head[k] == UNKNOWN or self._is_gone(c, gold.head[k])

    cdef int _list_right(
        self, const ConfigurationC* c, const Gold* gold
    ) except -1 nogil:
        """Fill the right list.

        A word belongs there if some gold dependent of it is on the stack or before it
        in this list, or if its gold head is on the stack. ROOT on the stack does not
        count as a head here, because it can wait for its dependents.

        Returns:
            The number of words in the list that have lost their gold heads.
        """
        cdef size_t next = 0
        cdef int i, k
        cdef int n_lost = 0
        self.right.clear()
        if <int>self.marks.size() < gold.length + 1:
            self.marks.resize(gold.length + 1, 0)
        for k in self.left:
            self._want_head(gold, k, self.front)
            if k == ROOT:
                continue
            for i in range(self._first_in_buffer(gold, k), gold.first[k + 1]):
                self._want(gold.dependents[i])
        while next < self.right.size():
            k = self.right[next]
            self._want_head(gold, k, k + 1)
            next += 1
        for k in self.right:
            self.marks[k] = 0
            n_lost += self._has_lost_head(c, gold, k)
        sort(self.right.begin(), self.right.end())
        self.right.insert(self.right.begin(), self.left[0])
        if self._in_buffer(c, ROOT):
            self.right.push_back(ROOT)
        return n_lost

    cdef int _want_head(self, const Gold* gold, int k, int first) except -1 nogil:
        """Put the gold head of a node into the right list if it is a word from `first`
        on.
        """
        if k != ROOT and gold.head[k] >= first:
            self._want(gold.head[k])
        return 0

    cdef int _want(self, int k) except -1 nogil:
        """Put a word into the right list."""
        if not self.marks[k]:
            self.marks[k] = 1
            self.right.push_back(k)
        return 0

    # ---- the table -------------------------------------------------------------------

    cdef int _root(self, int number) noexcept nogil:
        """The node of a root number (see `diagonal`)."""
        cdef int p = <int>self.left.size()
        return self.left[number] if number < p else self.right[number - p + 1]

    cdef int _merge(self, const ConfigurationC* c, const Gold* gold) except -1 nogil:
        """X[p,q](ROOT)."""
        cdef int p = <int>self.left.size()
        cdef int q = <int>self.right.size()
        cdef int width = p + q - 1
        cdef int d, i, j, r, number, loss, left, right
        self.n_cells += <uint64_t>p * q
        self.diagonal.assign(p * width, IMPOSSIBLE)
        self.diagonal[0] = 0
        for d in range(2, p + q):
            self.next_diagonal.assign(p * width, IMPOSSIBLE)
            for i in range(max(1, d - q), min(p, d - 1) + 1):
                j = d - i
                left = right = -1
                if i < p and self._may_take(c, self.left[i], j == q):
                    left = self.left[i]
                if j < q and self._may_take(c, self.right[j], i == p):
                    right = self.right[j]
                for number in range(width):
                    if p > number >= i or number - p + 2 > j:
                        continue
                    loss = self.diagonal[(i - 1) * width + number]
                    if loss >= IMPOSSIBLE:
                        continue
                    r = self._root(number)
                    if left != -1:
                        self._lower(gold, i * width, number, i, r, left, loss)
                    if right != -1:
                        self._lower(
                            gold, (i - 1) * width, number, p + j - 1, r, right, loss
                        )
            self.diagonal.swap(self.next_diagonal)
        for number in range(width):
            if self._root(number) == ROOT:
                return self.diagonal[(p - 1) * width + number]
        return IMPOSSIBLE

    cdef bint _may_take(
        self, const ConfigurationC* c, int x, bint is_rest_merged
    ) noexcept nogil:
        """With a single root ROOT comes last."""
        return x != ROOT or not has_single_root(c) or is_rest_merged

    cdef void _lower(
        self,
        const Gold* gold,
        int cell,
        int number,
        int number_of_x,
        int r,
        int x,
        int loss,
    ) noexcept nogil:
        """Merge x below the root r, and r below x, into a cell of the next diagonal."""
        cdef int* below
        if x != ROOT:
            below = &self.next_diagonal[cell + number]
            below[0] = min(below[0], loss + is_wrong(gold, r, x))
        if r != ROOT:
            below = &self.next_diagonal[cell + number_of_x]
            below[0] = min(below[0], loss + is_wrong(gold, x, r))
