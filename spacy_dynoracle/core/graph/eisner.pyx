# cython: boundscheck=False, wraparound=False
"""The projective tree of largest weight (Eisner 1996); see `arc_weights`."""
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from .arc_weights import as_weights, no_tree

# An arc from a head to this dependent, and the largest weight of trees over the words
# from the one to the other in which the dependent has dependents of its own on that
# side only.
cdef struct Incomplete:
    double weight
    int dependent


def projective_tree(weights: ArrayLike, bint single_root=False) -> NDArray[np.int32]:
    """The projective tree of largest weight.

    The time is proportional to n * a for a possible arcs, which is n**3 if all arcs are
    possible. The memory is a table of n**2 floats and the list of arcs. The GIL is
    released.

    Source: Eisner 1996.

    Args:
        weights: Matrix of shape (n + 1, n + 1), see `arc_weights`.
        single_root: If true, ROOT has exactly one dependent; otherwise it has one or
            more.

    Returns:
        The heads of the words 1..n as int32. Among equal trees of a span, the tree
        whose outermost dependent is nearest to the head wins. Among equal borders
        between the dependents of two words, the leftmost border wins.

    Raises:
        ValueError: For weights that `as_weights` rejects, and if no tree is possible.
    """
    cdef Chart chart = Chart(as_weights(weights))
    cdef double total
    heads = np.zeros(chart.size - 1, dtype=np.int32)
    cdef int32_t[::1] view = heads
    if chart.size > 1:
        with nogil:
            total = chart.fill(single_root)
        if total == -INFINITY:
            raise no_tree("projective tree", single_root)
        chart.read(&view[0], single_root)
    return heads


cdef class Chart:
    """The largest weights of all spans.

    complete[a, b] is the largest weight of a tree over the words from a to b, on either
    side, whose root is a.

    right[a] and left[a] are the possible arcs from a to each side, ordered by length.
    """

    cdef const double[:, ::1] weights
    cdef double[:, ::1] complete
    cdef vector[vector[Incomplete]] right, left
    cdef Py_ssize_t size

    def __cinit__(self, weights: NDArray[np.float64]):
        self.weights = weights
        self.size = len(weights)
        self.complete = np.zeros((self.size, self.size))
        self.right.resize(self.size)
        self.left.resize(self.size)

    cdef double fill(self, bint single_root) except? -1 nogil:
        """Compute the largest weight of a tree.

        It is minus infinity if there is no tree.
        """
        cdef Py_ssize_t a, b
        for b in range(1, self.size):
            # Spans do not depend on the single root, so it is chosen at the end.
            for a in range(b - 1, 0 if single_root else -1, -1):
                self.join(a, b)
                self.complete[a, b] = self.weight(self.outermost(a, b), b)
                if a > 0:
                    self.complete[b, a] = self.weight(self.outermost(b, a), a)
        if single_root:
            return self.root_weight(self.best_root())
        return self.complete[0, self.size - 1]

    cdef int join(self, Py_ssize_t a, Py_ssize_t b) except -1 nogil:
        """Add the arcs between a and b, a < b."""
        cdef bint to_right = self.weights[a, b] > -INFINITY
        cdef bint to_left = a > 0 and self.weights[b, a] > -INFINITY
        cdef double inner = 0
        cdef Py_ssize_t k
        if to_right or to_left:
            k = self.border(a, b)
            inner = self.complete[a, k] + self.complete[b, k + 1]
        if to_right:
            self.right[a].push_back(Incomplete(inner + self.weights[a, b], <int>b))
        if to_left:
            self.left[b].push_back(Incomplete(inner + self.weights[b, a], <int>a))
        return 0

    cdef double weight(self, const Incomplete* arc, Py_ssize_t b) noexcept nogil:
        """The largest weight of a tree of the span that ends with b, in which an arc is
        that to the outermost dependent; minus infinity without an arc.
        """
        if arc is NULL:
            return -INFINITY
        return arc.weight + self.complete[arc.dependent, b]

    cdef double root_weight(self, Py_ssize_t root) noexcept nogil:
        """The largest weight of a tree whose only root is this word."""
        return (
            self.complete[root, 1]
            + self.complete[root, self.size - 1]
            + self.weights[0, root]
        )

    cdef Py_ssize_t best_root(self) noexcept nogil:
        cdef Py_ssize_t root, best = 1
        for root in range(2, self.size):
            if self.root_weight(root) > self.root_weight(best):
                best = root
        return best

    cdef int read(self, int32_t* heads, bint single_root) except -1:
        """Write the heads of the largest tree. Call `fill` first."""
        cdef vector[Py_ssize_t] spans
        cdef Py_ssize_t a, b, k
        if single_root:
            k = self.best_root()
            heads[k - 1] = 0
            push(spans, k, 1)
            push(spans, k, self.size - 1)
        else:
            push(spans, 0, self.size - 1)
        while spans.size():
            b = spans.back()
            spans.pop_back()
            a = spans.back()
            spans.pop_back()
            if a != b:
                k = self.outermost(a, b).dependent
                heads[k - 1] = <int32_t>a
                push(spans, k, b)
                # Every word between a and k is a descendant of a or of k.
                a, k = min(a, k), max(a, k)
                b = self.border(a, k)
                push(spans, a, b)
                push(spans, k, b + 1)
        return 0

    cdef const Incomplete* outermost(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """The arc from a to its outermost dependent in the largest tree of the span
        from a to b; NULL if there is no tree.
        """
        cdef const vector[Incomplete]* arcs = &self.right[a] if a < b else &self.left[a]
        cdef const Incomplete* arc
        cdef const Incomplete* best = NULL
        cdef size_t i
        for i in range(arcs.size()):
            arc = &arcs[0][i]
            if arc.dependent > b if a < b else arc.dependent < b:
                break
            if self.weight(arc, b) > self.weight(best, b):
                best = arc
        return best

    cdef Py_ssize_t border(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """The last word below a in the largest tree with an arc between a and b."""
        cdef Py_ssize_t k, best = a
        for k in range(a + 1, b):
            if (
                self.complete[a, k] + self.complete[b, k + 1]
                > self.complete[a, best] + self.complete[b, best + 1]
            ):
                best = k
        return best


cdef int push(vector[Py_ssize_t]& spans, Py_ssize_t a, Py_ssize_t b) except -1:
    spans.push_back(a)
    spans.push_back(b)
    return 0
