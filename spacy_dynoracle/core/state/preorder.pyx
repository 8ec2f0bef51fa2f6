# cython: boundscheck=False, wraparound=False
"""Preorder numbers of the nodes of a tree.

A node has a smaller number than its descendants, and the descendants of a node have
consecutive numbers. So one node descends from another if its number is among them.
"""


cdef class Preorder:
    """The preorder of a tree over the nodes 0..n. `build` must be called first."""

    cdef void build(self, const int* head, int n) noexcept nogil:
        """Number the nodes.

        Args:
            head: For each of the words 1..n another node, or -1 if unknown; node 0 is
                above all words, those with an unknown head too.
        """
        cdef int k, h
        # The first dependent of each node, and the next dependent of the same head.
        cdef vector[int] first
        cdef vector[int] sibling
        cdef vector[int] pending
        self.number.assign(n + 1, 0)
        self.last.assign(n + 1, 0)
        self.node.clear()
        first.assign(n + 1, 0)
        sibling.assign(n + 1, 0)
        for k in range(1, n + 1):
            h = max(head[k], 0)
            sibling[k] = first[h]
            first[h] = k
        pending.push_back(0)
        while not pending.empty():
            k = pending.back()
            pending.pop_back()
            self.number[k] = <int>self.node.size()
            self.node.push_back(k)
            h = first[k]
            while h:
                pending.push_back(h)
                h = sibling[h]
        for k in range(n + 1):
            self.last[k] = self.number[k]
        # Nodes with larger numbers come first, so a node is complete before its head.
        for h in range(n, 0, -1):
            k = self.node[h]
            if head[k] > 0 and self.last[head[k]] < self.last[k]:
                self.last[head[k]] = self.last[k]
        self.last[0] = n

    cdef bint descends(self, int k, int h) noexcept nogil:
        """Whether a node is another one or below it."""
        return self.number[h] <= self.number[k] <= self.last[h]
