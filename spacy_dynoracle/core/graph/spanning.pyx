# cython: boundscheck=False, wraparound=False
"""The tree of largest weight, projective or not; see `arc_weights`.

The algorithm is that of Chu & Liu (1965) and Edmonds (1967), in the form that grows a
path and contracts its cycles (Gabow, Galil, Spencer & Tarjan 1986). It does without
their heaps, which gain nothing in a dense graph.
"""
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from .arc_weights import as_weights, no_tree


def spanning_tree(weights: ArrayLike, bint single_root=False) -> NDArray[np.int32]:
    """The tree of largest weight, projective or not.

    One root: the weight of an arc becomes the pair (-1 if ROOT is the head else 0,
    weight), compared from left to right. The largest tree then has as few roots as
    possible and among those trees the largest weight; if it has two, no tree has one.
    Arcs from ROOT are thus chosen last, and no large constant is added to anything.

    The time is proportional to n**2. The memory is one table of n**2 floats and two
    tables of n**2 integers. The GIL is released.

    Sources: Chu & Liu 1965 and Edmonds 1967; Gabow et al. 1986 for growing a path;
    Stanojevic & Cohen 2021 for the single root, with a large constant in place of the
    -1.

    Args:
        weights: Matrix of shape (n + 1, n + 1), see `arc_weights`.
        single_root: If true, ROOT has exactly one dependent; otherwise it has one or
            more.

    Returns:
        The heads of the words 1..n as int32.

    Raises:
        ValueError: For weights that `as_weights` rejects, and if no tree is possible.
    """
    cdef Contraction graph = Contraction(as_weights(weights))
    cdef bint found
    heads = np.zeros(graph.size - 1, dtype=np.int32)
    cdef int32_t[::1] view = heads
    if graph.size > 1:
        with nogil:
            found = graph.contract(single_root)
        if not found:
            raise no_tree("tree", single_root)
        graph.expand(&view[0])
        if single_root and np.count_nonzero(heads == 0) > 1:
            raise no_tree("tree", single_root)
    return heads


# An arc between two words that enters a node, which may be contracted.
ctypedef struct Arc:
    int32_t head
    int32_t dependent


cdef class Contraction:
    """A graph whose cycles have been contracted to single nodes.

    A node is a word, ROOT, or a cycle of nodes. Each node has the place of one of its
    words. For two nodes at the places d and h, weights[d, h] is the largest weight of
    an arc from a word of h to a word of d, minus the weights of the arcs that this arc
    replaces. The arcs into a node form a row. heads[d, h] and dependents[d, h] are the
    two words of that arc.
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

    def __cinit__(self, weights: NDArray[np.float64]):
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

    cdef int contract(self, bint single_root) except -1 nogil:
        """Choose an arc into every node and contract cycles until there are none.

        Returns:
            Whether every node has an arc.
        """
        # The places of the nodes on the path and the weights of their arcs. Each node
        # is the head of the node before it.
        cdef vector[Py_ssize_t] path
        cdef vector[double] chosen
        cdef Py_ssize_t start, place, head
        self.settled[0] = True
        for start in range(1, self.size):
            place = start
            while self.active[place] and not self.settled[place]:
                head = self.best_head(place, single_root)
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

    cdef Py_ssize_t best_head(self, Py_ssize_t place, bint single_root) noexcept nogil:
        """The place of the best head of a node, -1 if there is none.

        The lowest place wins a tie.
        """
        cdef const double* row = &self.weights[place, 0]
        cdef Py_ssize_t head, best = -1
        cdef double largest = -INFINITY
        for head in range(1 if single_root else 0, self.size):
            if row[head] > largest and self.active[head] and head != place:
                best, largest = head, row[head]
        if best < 0 and row[0] > -INFINITY:
            return 0
        return best

    cdef int merge(
        self, vector[Py_ssize_t]& path, vector[double]& chosen, Py_ssize_t first
    ) except -1 nogil:
        """Remove the path back to the place `first`, and put the contracted cycle
        there.
        """
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
                # The row of `first` itself comes first and is replaced as it is.
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
        """Write the heads of all words. Call `contract` first."""
        cdef Py_ssize_t cycle, node
        # The arc into a cycle breaks the cycle at the node it enters. Outer cycles come
        # first.
        for cycle in range(<Py_ssize_t>self.parent.size() - 1, self.size - 1, -1):
            node = self.arc[cycle].dependent
            while self.parent[node] != cycle:
                node = self.parent[node]
            self.arc[node] = self.arc[cycle]
        for node in range(1, self.size):
            heads[node - 1] = self.arc[node].head
        return 0
