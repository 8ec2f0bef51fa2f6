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
a dependent of r or the new root. M = X[p,q](ROOT).

Source: Goldberg, Sartorio & Satta 2014, reconstructed; the conditions for the right
list are those that agree with exhaustive search, see the tests.
"""
from cython.operator cimport dereference
from libc.stdint cimport uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from ..state.configuration cimport ROOT, ROOT_LAST, ConfigurationC, N, S, has_one_root
from ..state.gold cimport UNKNOWN, Gold
from ..hashing cimport mix
from .base cimport Costs

cdef enum:
    # Far more than any loss, and it can be added to without overflow.
    IMPOSSIBLE = 0x20000000


cdef inline bint is_wrong(const Gold* gold, int head, int dependent) noexcept nogil:
    """delta: 1 if an arc contradicts the gold tree."""
    return gold.head[dependent] != UNKNOWN and gold.head[dependent] != head


cdef class TabularCosts(Costs):
    """C(t; c, T) for arc-standard.

    M is remembered for the length of a sentence, so that in a derivation loss(c) is
    known from the step before. The key is a 64-bit hash of the stack and the length of
    the buffer.

    With gold trees that are not projective the right list leaves out too much, so that
    costs are only nearly right and may be negative; the cheapest transition is still
    almost always optimal.
    """

    cdef unordered_map[uint64_t, int] known
    # The stack from bottom to top, and the first of the buffer's places.
    cdef vector[int] stack
    cdef int front
    cdef vector[int] left
    cdef vector[int] right
    # For each node: 1 on the stack, 2 in the right list, else 0.
    cdef vector[char] marks
    # X[i,j] for i + j = d and for d + 1, by i and by the number of the root: those of
    # the left list first, then R_2, R_3 ...
    cdef vector[int] diagonal
    cdef vector[int] next_diagonal

    cdef void start(self) noexcept nogil:
        self.known.clear()

    cdef int cost(
        self, int t, const ConfigurationC* c, const Gold* gold
    ) except? -1 nogil:
        cdef int before, wrong, s0, s1
        self._read(c)
        before = self._further_loss(c, gold)
        wrong = 0
        if self.system.transitions[t].arc is NULL:
            self.stack.push_back(N(c, 0))
            self.front += 1
        else:
            arc = self.system.transitions[t].arc(c)
            wrong = is_wrong(gold, arc.head, arc.dependent)
            s0, s1 = S(c, 0), S(c, 1)
            self.stack.pop_back()
            if arc.dependent == s1:
                self.stack[self.stack.size() - 1] = s0
        return wrong + self._further_loss(c, gold) - before

    cdef int _read(self, const ConfigurationC* c) except -1 nogil:
        cdef int i
        self.stack.clear()
        for i in range(c.stack_size):
            self.stack.push_back(c.stack[i])
        self.front = c.front
        return 0

    cdef int _further_loss(
        self, const ConfigurationC* c, const Gold* gold
    ) except -1 nogil:
        """M of `stack` and the buffer of `c` from `front` on."""
        cdef uint64_t key = <uint64_t>self.front + 1
        cdef int k, loss
        if self.stack.empty():
            return 0
        for k in self.stack:
            key = mix(key * <uint64_t>0x9E3779B97F4A7C15 + <uint64_t>k)
        found = self.known.find(key)
        if found != self.known.end():
            return dereference(found).second
        self._list_left(gold)
        loss = self._list_right(c, gold)
        loss += self._merge(c, gold)
        self._clear_marks()
        self.known[key] = loss
        return loss

    cdef int _list_left(self, const Gold* gold) except -1 nogil:
        cdef int k, i
        if <int>self.marks.size() < gold.length + 1:
            self.marks.resize(gold.length + 1, 0)
        self.left.clear()
        for i in range(<int>self.stack.size() - 1, -1, -1):
            k = self.stack[i]
            self.left.push_back(k)
            self.marks[k] = 1
        return 0

    cdef int _list_right(
        self, const ConfigurationC* c, const Gold* gold
    ) except -1 nogil:
        """Fill the right list.

        A word belongs there if some gold dependent of it is on the stack or in this
        list, or if its gold head is not in the buffer. Of the latter, words whose head
        is gone or unknown and that nothing here depends on can be attached anywhere at
        any time, at the same cost: they are left out, and that cost is returned.
        """
        cdef int i, j, k, head
        cdef int loss = 0
        cdef bint wanted
        self.right.clear()
        self.right.push_back(self.left[0])
        for i in range(self.front, c.end):
            k = c.buffer[i]
            if k == ROOT:
                continue
            wanted = False
            for j in range(gold.first[k], gold.first[k + 1]):
                if self.marks[gold.dependents[j]]:
                    wanted = True
                    break
            head = gold.head[k]
            if not wanted and head != UNKNOWN and not self._in_buffer(c, head):
                if self.marks[head] == 1:
                    wanted = True
                else:
                    loss += 1
            if wanted:
                self.right.push_back(k)
                self.marks[k] = 2
        if c.root == ROOT_LAST and self._in_buffer(c, ROOT):
            self.right.push_back(ROOT)
        return loss

    cdef bint _in_buffer(self, const ConfigurationC* c, int k) noexcept nogil:
        # The place of a word in the buffer is its number (see `clear`).
        if k == ROOT:
            return c.root == ROOT_LAST and self.front < c.end
        return k >= self.front

    cdef int _clear_marks(self) except -1 nogil:
        cdef int k
        for k in self.left:
            self.marks[k] = 0
        for k in self.right:
            self.marks[k] = 0
        return 0

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
        return x != ROOT or not has_one_root(c) or is_rest_merged

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
