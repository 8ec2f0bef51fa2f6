# cython: boundscheck=False, wraparound=False
"""The nodes of candidate trees: neighbours and subtrees, from heads and labels."""
from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from spacy_dynoracle.core.state.configuration cimport ROOT

cdef uint64_t SEQUENCE_FACTOR = 0x9216D5D98979FB1B


cdef object not_a_tree(size_t number, reason):
    return ValueError(f"candidate {number}: {reason}")


cdef class Tree:
    """A candidate tree of a sentence, one after the other in the same memory.

    After `begin` the caller fills `tags` and `is_word`, which all candidates share.
    """

    cdef int begin(self, int length) except -1 nogil:
        """Make room for the trees of a sentence."""
        self.length = length
        self.nodes.resize(length + 1)
        self.tags.assign(length + 1, 0)
        self.is_word.assign(length + 1, 0)
        self.agenda.resize(length + 1)
        return 0

    cdef int link(
        self, size_t number, const int32_t* heads, const int32_t* labels
    ) except -1 nogil:
        """Fill the nodes of a candidate.

        Args:
            number: Of the candidate, for messages.

        Raises:
            ValueError: If the heads are not a tree or a label is out of range.
        """
        cdef TreeNode* nodes = self.nodes.data()
        cdef int k
        memset(nodes, 0, (self.length + 1) * sizeof(TreeNode))
        for k in range(self.length + 1):
            nodes[k].low = nodes[k].high = k
        for k in range(1, self.length + 1):
            self.check_arc(number, k, heads[k - 1], labels[k - 1])
            self.attach(k, heads[k - 1], labels[k - 1])
        # This node takes the writes for a missing neighbour.
        nodes[ROOT].after = 0
        if not self.add_up():
            with gil:
                raise not_a_tree(number, "its arcs form a cycle")
        return 0

    cdef int check_arc(
        self, size_t number, int k, int head, int label
    ) except -1 nogil:
        """Raise ValueError if a word cannot have a head or a label."""
        if not 0 <= head <= self.length or head == k:
            with gil:
                raise not_a_tree(
                    number, f"word {k} of {self.length} has head {head}, expected "
                    f"another word or 0 for ROOT"
                )
        if not -1 <= label < (1 << LABEL_BITS) - 1:
            with gil:
                raise not_a_tree(
                    number, f"word {k} has label {label}, expected the id of a label, "
                    f"or -1 for none"
                )
        return 0

    cdef void attach(self, int k, int h, int label) noexcept nogil:
        """Make a word the last dependent of its head so far."""
        cdef TreeNode* nodes = self.nodes.data()
        cdef TreeNode* head = &nodes[h]
        cdef bint is_word = self.is_word[k]
        nodes[k].head = h
        nodes[k].label = label
        nodes[k].size += is_word
        head.pending += 1
        head.tags = head.tags * SEQUENCE_FACTOR + self.tags[k]
        if k < h:
            nodes[k].before = head.last_left
            nodes[head.last_left].after = k
            head.last_left = k
            head.n_left += 1
            head.words_left += is_word
        else:
            nodes[k].before = head.last_right
            nodes[head.last_right].after = k
            head.last_right = k
            head.n_right += 1
            head.words_right += is_word

    cdef bint add_up(self) noexcept nogil:
        """Add up the subtrees, from the leaves to ROOT.

        False if there is a cycle, to whose words no leaf leads.
        """
        cdef TreeNode* nodes = self.nodes.data()
        cdef TreeNode* head
        cdef int k
        cdef int n_done = 0
        cdef int n_ready = 0
        for k in range(1, self.length + 1):
            if nodes[k].pending == 0:
                self.agenda[n_ready] = k
                n_ready += 1
        while n_done < n_ready:
            k = self.agenda[n_done]
            n_done += 1
            head = &nodes[nodes[k].head]
            head.size += nodes[k].size
            head.low = min(head.low, nodes[k].low)
            head.high = max(head.high, nodes[k].high)
            head.pending -= 1
            if head.pending == 0 and nodes[k].head != ROOT:
                self.agenda[n_ready] = nodes[k].head
                n_ready += 1
        return n_done == self.length
