# cython: boundscheck=False, wraparound=False
"""The trees that a search finds, as arrays."""
import numpy as np

from ..systems.base cimport attach_to_root


cdef class TreeArrays:
    """Heads and labels of all words of some trees, one tree after the other.

    Args:
        n_words: Of all trees together.
        root_label: The id of the label of arcs that no transition has added, or
            NO_LABEL.

    Attributes:
        heads, labels: int32 of shape (n_words,). A head is a word 1..n of its sentence
            or 0 for ROOT; a label is an id of the model's labels, or -1.
    """

    def __cinit__(self, Py_ssize_t n_words, int root_label):
        self.heads = np.empty(n_words, dtype=np.int32)
        self.labels = np.empty(n_words, dtype=np.int32)
        self._heads = self.heads
        self._labels = self.labels
        self.root_label = root_label

    cdef void add(self, ConfigurationC* c) noexcept nogil:
        """Append the tree of a terminal configuration.

        Words that are headless there become dependents of ROOT.
        """
        self.put(c, self.at)
        self.at += c.length

    cdef void put(self, ConfigurationC* c, Py_ssize_t first) noexcept nogil:
        """Do the same, but put the tree where that of its first word belongs."""
        cdef int32_t* heads = &self._heads[first] - 1
        cdef int32_t* labels = &self._labels[first] - 1
        cdef int k
        attach_to_root(c, self.root_label)
        for k in range(1, c.length + 1):
            heads[k] = c.nodes[k].head
            labels[k] = c.nodes[k].label
