# cython: boundscheck=False, wraparound=False
"""The tree of largest weight, where the weight of a tree is the sum over its arcs.

Weights are a square matrix over the nodes 0..n, 0 being ROOT: entry [h, d] weighs the
arc from head h to dependent d, and minus infinity excludes it. The diagonal and the
column of ROOT are not read. With head marginals as weights (not their logarithms) the
result is the tree with the largest expected number of right heads.

Projective trees: Eisner (1996). All trees: Chu & Liu (1965), Edmonds (1967), in the
form that grows a path and contracts its cycles (Gabow, Galil, Spencer & Tarjan 1986),
without their heaps, which gain nothing in a dense graph.

Where several trees have the largest weight, the weights alone decide which of them is
found. Sums are those of 64-bit floats: they are exact for weights that are integers,
such as counts; otherwise rounding can prefer one of several trees that weigh the same.
"""
from libc.math cimport INFINITY, isnan
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

cdef extern from *:
    """
    #include <algorithm>
    #include <cmath>
    #include <vector>

    // The largest sum(i) for i < n, in four lanes: a running maximum is a chain of
    // waits.
    template <class Sum> static inline double largest(Py_ssize_t n, Sum sum) {
        double m[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        Py_ssize_t i = 0;
        for (; i + 4 <= n; i += 4)
            for (int k = 0; k < 4; ++k)
                m[k] = std::max(m[k], sum(i + k));
        for (; i < n; ++i)
            m[0] = std::max(m[0], sum(i));
        return std::max(std::max(m[0], m[1]), std::max(m[2], m[3]));
    }

    // An arc from a head to this dependent, and the largest weight of trees over the
    // words from the one to the other in which the dependent has dependents of its own
    // on that side only.
    struct Incomplete {
        double weight;
        int dependent;
    };

    static double best_border(const double* a, const double* b, Py_ssize_t n) {
        return largest(n, [=](Py_ssize_t i) { return a[i] + b[i]; });
    }

    static double best_arc(const std::vector<Incomplete>& arcs, const double* rest) {
        const Incomplete* arc = arcs.data();
        return largest(arcs.size(), [=](Py_ssize_t i) {
            return arc[i].weight + rest[arc[i].dependent];
        });
    }
    """
    cdef struct Incomplete:
        double weight
        int dependent

    double best_border(const double* a, const double* b, Py_ssize_t n) noexcept nogil
    double best_arc(
        const vector[Incomplete]& arcs, const double* rest
    ) noexcept nogil

# Sums over a tree of any length stay finite below it.
cdef double LARGEST = 1e290


def projective_tree(weights, single_root=False):
    """The projective tree of largest weight.

    weights: (n + 1, n + 1), see the module. single_root: whether ROOT must have exactly
    one dependent; otherwise it has one or more.

    Returns the heads of the words 1..n, int32. Of equal trees of a span the one wins
    whose outermost dependent is nearest to the head; of equal borders between the
    dependents of two words the leftmost.

    Takes time in n * a for a possible arcs (n**3 if all are), and memory for two tables
    of n**2 floats and for the arcs; the GIL is released.

    Raises ValueError for another shape, for weights that are neither finite nor minus
    infinity or are larger than 1e290, and if there is no such tree.

    Source: Eisner 1996.
    """
    cdef Chart chart = Chart(as_weights(weights))
    cdef bint one_root = single_root
    cdef double total
    heads = np.zeros(chart.size - 1, dtype=np.int32)
    cdef int32_t[::1] view = heads
    if chart.size > 1:
        with nogil:
            total = chart.fill(one_root)
        if total == -INFINITY:
            raise no_tree("projective tree", single_root)
        chart.read(&view[0], one_root)
    return heads


def spanning_tree(weights, single_root=False):
    """The tree of largest weight, projective or not.

    weights: (n + 1, n + 1), see the module. single_root: whether ROOT must have exactly
    one dependent; otherwise it has one or more.

    Returns the heads of the words 1..n, int32.

    One root: the weight of an arc becomes the pair (-1 if ROOT is the head else 0,
    weight), compared from left to right. The largest tree then has as few roots as
    possible and among those trees the largest weight; if it has two, no tree has one.
    Arcs from ROOT are thus chosen last, and no large constant is added to anything.

    Takes time in n**2 and memory for one table of n**2 floats and two of integers; the
    GIL is released.

    Raises ValueError as `projective_tree` does.

    Sources: Chu & Liu 1965, Edmonds 1967; growing a path: Gabow et al. 1986; a single
    root by weights: Stanojevic & Cohen 2021, where a large constant stands for the -1.
    """
    cdef Contraction graph = Contraction(as_weights(weights))
    cdef bint one_root = single_root
    cdef bint found
    heads = np.zeros(graph.size - 1, dtype=np.int32)
    cdef int32_t[::1] view = heads
    if graph.size > 1:
        with nogil:
            found = graph.contract(one_root)
        if not found:
            raise no_tree("tree", single_root)
        graph.expand(&view[0])
        if one_root and np.count_nonzero(heads == 0) > 1:
            raise no_tree("tree", single_root)
    return heads


cdef object as_weights(weights):
    """The weights as a contiguous float64 matrix; ValueError where they are none."""
    matrix = np.ascontiguousarray(weights, dtype=np.float64)
    cdef Py_ssize_t n, h, d
    cdef double w
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(
            f"weights of shape {np.shape(weights)}: expected (n + 1, n + 1) for n words"
        )
    cdef const double[:, ::1] view = matrix
    n = matrix.shape[0]
    for h in range(n):
        for d in range(1, n):
            w = view[h, d]
            if h != d and (isnan(w) or w > LARGEST or -INFINITY < w < -LARGEST):
                raise ValueError(
                    f"the arc from {h} to {d} weighs {w}: expected a finite number "
                    f"(at most {LARGEST:g} in size) or minus infinity"
                )
    return matrix


cdef object no_tree(str kind, bint single_root):
    """The error for weights that exclude every tree."""
    root = " with a single root" if single_root else ""
    return ValueError(f"the arcs that are possible form no {kind}{root}")


# ---- projective trees ----------------------------------------------------------------

cdef class Chart:
    """The largest weights of spans.

    complete[a, b]: of trees over the words from a to b, on either side, whose root is
    a; by_end[b, a] is the same. Every loop over the parts of a span runs along a row.

    right[a], left[a]: the possible arcs from a to either side, by length.
    """

    cdef const double[:, ::1] weights
    cdef double[:, ::1] complete, by_end
    cdef vector[vector[Incomplete]] right, left
    cdef Py_ssize_t size

    def __cinit__(self, weights):
        self.weights = weights
        self.size = len(weights)
        self.complete = np.zeros((self.size, self.size))
        self.by_end = np.zeros((self.size, self.size))
        self.right.resize(self.size)
        self.left.resize(self.size)

    cdef double fill(self, bint one_root) except? -1 nogil:
        """The largest weight of a tree, minus infinity if there is none."""
        cdef Py_ssize_t a, b
        for b in range(1, self.size):
            # A single root is no matter of spans: it is chosen in the end.
            for a in range(b - 1, 0 if one_root else -1, -1):
                self.join(a, b)
                self.set_complete(a, b, best_arc(self.right[a], &self.by_end[b, 0]))
                if a > 0:
                    self.set_complete(b, a, best_arc(self.left[b], &self.by_end[a, 0]))
        if one_root:
            return self.root_weight(self.best_root())
        return self.complete[0, self.size - 1]

    cdef int join(self, Py_ssize_t a, Py_ssize_t b) except -1 nogil:
        """Add the arcs between a and b, a < b."""
        cdef bint to_right = self.weights[a, b] > -INFINITY
        cdef bint to_left = a > 0 and self.weights[b, a] > -INFINITY
        cdef double inner = 0
        if to_right or to_left:
            inner = best_border(&self.complete[a, a], &self.complete[b, a + 1], b - a)
        if to_right:
            self.right[a].push_back(Incomplete(inner + self.weights[a, b], <int>b))
        if to_left:
            self.left[b].push_back(Incomplete(inner + self.weights[b, a], <int>a))
        return 0

    cdef void set_complete(
        self, Py_ssize_t a, Py_ssize_t b, double weight
    ) noexcept nogil:
        self.complete[a, b] = weight
        self.by_end[b, a] = weight

    cdef double root_weight(self, Py_ssize_t root) noexcept nogil:
        """The largest weight of a tree with this single root."""
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

    cdef int read(self, int32_t* heads, bint one_root) except -1:
        """Write the heads of the largest tree; to be called after `fill`."""
        cdef vector[Py_ssize_t] spans
        cdef Py_ssize_t a, b, k
        if one_root:
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
                k = self.outermost(a, b)
                heads[k - 1] = <int32_t>a
                push(spans, k, b)
                # What stands between a and k is below one of the two.
                a, k = min(a, k), max(a, k)
                b = self.border(a, k)
                push(spans, a, b)
                push(spans, k, b + 1)
        return 0

    cdef Py_ssize_t outermost(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        """The outermost dependent of a in the largest tree of the span from a to b."""
        cdef bint to_right = a < b
        cdef const Incomplete* arc
        cdef double weight, largest = -INFINITY
        cdef Py_ssize_t k, best = -1
        cdef size_t i
        for i in range(self.right[a].size() if to_right else self.left[a].size()):
            arc = &self.right[a][i] if to_right else &self.left[a][i]
            k = arc.dependent
            if k > b if to_right else k < b:
                break
            weight = arc.weight + self.by_end[b, k]
            if weight > largest:
                best, largest = k, weight
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


# ---- all trees -----------------------------------------------------------------------

# An arc into a node that may be contracted, between two words.
ctypedef struct Arc:
    int32_t head
    int32_t dependent


cdef class Contraction:
    """A graph whose cycles have been contracted to single nodes.

    A node is a word, ROOT, or a cycle of nodes; each stands at the place of one of its
    words. At the places d and h of two nodes: weights[d, h], the largest weight of an
    arc from a word of h to one of d, less the weights of the arcs that have to be given
    up for it (arcs into a node form a row); heads[d, h] and dependents[d, h], the words
    of that arc.
    """

    cdef double[:, ::1] weights
    cdef int32_t[:, ::1] heads, dependents
    # Of a place: whether a node stands there, which one, whether it has its arc, and
    # whether it hangs below ROOT.
    cdef vector[char] active, on_path, settled
    cdef vector[int32_t] node
    # Of a node: the cycle that it is part of (-1: none) and the arc into it.
    cdef vector[int32_t] parent
    cdef vector[Arc] arc
    cdef Py_ssize_t size

    def __cinit__(self, weights):
        cdef Py_ssize_t n = len(weights)
        self.size = n
        self.weights = np.array(weights.T, order="C")
        places = np.arange(n, dtype=np.int32)
        self.heads = np.tile(places, (n, 1))
        self.dependents = np.repeat(places, n).reshape(n, n)
        self.active.assign(n, 1)
        self.on_path.assign(n, 0)
        self.settled.assign(n, 0)
        self.parent.assign(n, -1)
        self.arc.resize(n)
        for place in range(n):
            self.node.push_back(place)

    cdef int contract(self, bint one_root) except -1 nogil:
        """Choose an arc into every node and contract cycles until there are none.

        Returns whether every node has an arc.
        """
        # The places of nodes, each the head of the one before, and their arcs' weights.
        cdef vector[Py_ssize_t] path
        cdef vector[double] chosen
        cdef Py_ssize_t start, place, head
        self.settled[0] = True
        for start in range(1, self.size):
            place = start
            while self.active[place] and not self.settled[place]:
                head = self.best_head(place, one_root)
                if head < 0:
                    return False
                self.arc[self.node[place]] = Arc(
                    self.heads[place, head], self.dependents[place, head]
                )
                path.push_back(place)
                chosen.push_back(self.weights[place, head])
                self.on_path[place] = True
                if self.on_path[head]:
                    self.merge(path, chosen, head)
                place = head
            while path.size():
                self.settled[path.back()] = True
                self.on_path[path.back()] = False
                path.pop_back()
                chosen.pop_back()
        return True

    cdef Py_ssize_t best_head(self, Py_ssize_t place, bint one_root) noexcept nogil:
        """The place of the best head of a node, the lowest of equals; -1 if none."""
        cdef const double* row = &self.weights[place, 0]
        cdef Py_ssize_t head, best = -1
        cdef double largest = -INFINITY
        for head in range(1 if one_root else 0, self.size):
            if row[head] > largest and self.active[head] and head != place:
                best, largest = head, row[head]
        if best < 0 and row[0] > -INFINITY:
            return 0
        return best

    cdef int merge(
        self, vector[Py_ssize_t]& path, vector[double]& chosen, Py_ssize_t first
    ) except -1 nogil:
        """Take the path back to the place `first` and put the cycle there."""
        cdef size_t start = path.size() - 1
        cdef size_t i
        cdef Py_ssize_t place, other
        cdef double weight
        while path[start] != first:
            self.active[path[start]] = False
            start -= 1
        for i in range(start, path.size()):
            place = path[i]
            self.parent[self.node[place]] = <int32_t>self.parent.size()
            for other in range(self.size):
                if not self.active[other] or other == first:
                    continue
                weight = self.weights[place, other] - chosen[i]
                # The row of `first` itself, which comes first, is replaced as it is.
                if place == first or weight > self.weights[first, other]:
                    self.move(place, other, first, other)
                    self.weights[first, other] = weight
                if self.weights[other, place] > self.weights[other, first]:
                    self.move(other, place, other, first)
        self.node[first] = <int32_t>self.parent.size()
        self.parent.push_back(-1)
        self.arc.push_back(Arc(-1, -1))
        self.on_path[first] = False
        path.resize(start)
        chosen.resize(start)
        return 0

    cdef void move(
        self, Py_ssize_t d, Py_ssize_t h, Py_ssize_t new_d, Py_ssize_t new_h
    ) noexcept nogil:
        """Copy the entry [d, h] of the three tables."""
        self.weights[new_d, new_h] = self.weights[d, h]
        self.heads[new_d, new_h] = self.heads[d, h]
        self.dependents[new_d, new_h] = self.dependents[d, h]

    cdef int expand(self, int32_t* heads) except -1:
        """Write the heads of all words; to be called after `contract`."""
        cdef Py_ssize_t cycle, node
        # The arc into a cycle breaks it where it comes in. Outer cycles come first.
        for cycle in range(<Py_ssize_t>self.parent.size() - 1, self.size - 1, -1):
            node = self.arc[cycle].dependent
            while self.parent[node] != cycle:
                node = self.parent[node]
            self.arc[node] = self.arc[cycle]
        for node in range(1, self.size):
            heads[node - 1] = self.arc[node].head
        return 0
