# cython: boundscheck=False, wraparound=False
"""The finder of the parts of trees. It finds each distinct part of a sentence once.

The candidates of a sentence share most of their parts, so the features of a part are
computed once for all candidates. The finder visits each word once, as a dependent, so
the time is linear in the number of words.
"""
from libc.stdint cimport int32_t, uint64_t

import numpy as np

from spacy_dynoracle.core.state.configuration cimport ROOT
from spacy_dynoracle.core.hashing cimport mix
from spacy_dynoracle.core.state.sentence cimport Sentence, SentenceC
from .trees cimport LABEL_BITS, Tree, TreeNode

cdef enum:
    PREPOSITION_BIT = 1
    PUNCTUATION_BIT = 2
    CONJUNCTION_BIT = 4
    # Numbers of dependents and words are counted up to this limit.
    ENOUGH = 5

cdef uint64_t SET_SALT = 0x3F84D5B5B5470917


cdef inline bint contains(
    const vector[uint64_t]& values, uint64_t value
) noexcept nogil:
    cdef size_t i
    for i in range(values.size()):
        if values[i] == value:
            return True
    return False


cdef inline uint64_t packed(int first, int second, int third) noexcept nogil:
    """Three labels as one number."""
    return (
        <uint64_t>(first + 1)
        | <uint64_t>(second + 1) << LABEL_BITS
        | <uint64_t>(third + 1) << 2 * LABEL_BITS
    )


cdef class TreeWorkspace:
    """The memory for finding parts. Each thread has its own workspace."""

    def __cinit__(self):
        self.tree = Tree()


cdef class PartFinder:
    """Finds the parts of trees.

    Args:
        templates: The `RankingTemplates` whose kinds of parts are wanted.
        columns: Names of the columns of sentences, among them "w" (forms) and "p"
            (tags).
        classes: The `WordClasses`.

    Raises:
        ValueError: If a column is missing.
    """

    def __cinit__(self, templates, columns, classes):
        for name in ("w", "p"):
            if name not in columns:
                raise ValueError(
                    f"ranking needs forms (w) and tags (p) of words, but the columns "
                    f"are {' '.join(columns)}"
                )
        self.templates = templates
        self.columns = tuple(columns)
        self.n_columns = len(self.columns)
        self.word_column = self.columns.index("w")
        self.tag_column = self.columns.index("p")
        self.classes = classes
        for i in range(2 * N_KINDS):
            self.wanted[i] = False
        for template in templates.parsed:
            self.wanted[template.kind + template.is_labelled * N_KINDS] = True
        self.atoms_of(classes.prepositions, self.tag_column, self.prepositions)
        self.atoms_of(classes.punctuation, self.tag_column, self.punctuation)
        self.atoms_of(classes.conjunctions, self.tag_column, self.conjunctions)
        for pair in classes.pairs:
            self.atoms_of(pair[:1], self.word_column, self.openings)
            self.atoms_of(pair[1:], self.word_column, self.closings)

    cdef int atoms_of(self, codes, int column, vector[uint64_t]& atoms) except -1:
        """Append the atoms that the codes have in a column."""
        table = np.zeros((len(codes), self.n_columns), dtype=np.uint64)
        table[:, column] = np.array(codes, dtype=np.uint64)
        cdef Sentence sentence = Sentence(table)
        cdef int k
        for k in range(1, sentence.c.length + 1):
            atoms.push_back(sentence.c.atoms[k * self.n_columns + column])
        return 0

    cdef int begin(self, const SentenceC* sentence, TreeWorkspace work) except -1 nogil:
        """Start a sentence, without trees."""
        work.table.clear()
        work.tree.begin(sentence.length)
        self.look_at_words(sentence, work)
        return 0

    cdef int add_tree(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        TreeWorkspace work,
    ) except -1 nogil:
        """Add the parts of a tree to `work.table`.

        Raises:
            ValueError: If the heads are not a tree or a label is out of range.
        """
        cdef int k
        work.tree.link(work.table.ends.size(), heads, labels)
        for k in range(1, sentence.length + 1):
            self.add_chains(k, work)
            self.add_node(k, work)
            self.add_others(k, work)
        if self.wanted[RIGHTBRANCH]:
            self.add_right_branch(work)
        work.table.end_tree()
        return 0

    cdef void look_at_words(
        self, const SentenceC* sentence, TreeWorkspace work
    ) noexcept nogil:
        """Find the class of each word, and the partner of each quotation mark or
        bracket.
        """
        cdef int n = sentence.length
        cdef int k, opened
        cdef size_t i
        cdef uint64_t atom
        work.classes.assign(n + 2, 0)
        work.partners.assign(n + 2, 0)
        for k in range(1, n + 1):
            atom = sentence.atoms[k * self.n_columns + self.tag_column]
            work.classes[k] = (
                contains(self.prepositions, atom) * PREPOSITION_BIT
                | contains(self.punctuation, atom) * PUNCTUATION_BIT
                | contains(self.conjunctions, atom) * CONJUNCTION_BIT
            )
            work.tree.tags[k] = atom
            work.tree.is_word[k] = not work.classes[k] & PUNCTUATION_BIT
        if not self.wanted[PAIR]:
            return
        for i in range(self.openings.size()):
            opened = 0
            for k in range(1, n + 1):
                atom = sentence.atoms[k * self.n_columns + self.word_column]
                if opened and atom == self.closings[i]:
                    work.partners[k] = opened
                    opened = 0
                elif atom == self.openings[i]:
                    opened = k

    cdef int add_chains(self, int m, TreeWorkspace work) except -1 nogil:
        """Add the parts with heads, siblings and children that end with a word."""
        cdef const TreeNode* nodes = work.tree.nodes.data()
        cdef int h = nodes[m].head
        cdef int s = nodes[m].before
        cdef int label = nodes[m].label
        cdef int g, r, t
        if m > 1:
            self.add(work, BIGRAM, nodes[m - 1].head, h, m - 1, m, 0)
        if h == ROOT:
            return 0
        self.add(work, ARC, h, m, -1, -1, packed(label, -1, -1))
        if s:
            self.add(work, SIBLING, h, s, m, -1, packed(nodes[s].label, label, -1))
            t = nodes[s].before
            if t:
                self.add(
                    work, TRISIBLING, h, t, s, m,
                    packed(nodes[t].label, nodes[s].label, label),
                )
        g = nodes[h].head
        if g == ROOT:
            return 0
        self.add(work, GRANDPARENT, g, h, m, -1, packed(nodes[h].label, label, -1))
        if s:
            self.add(
                work, GRANDSIBLING, g, h, s, m,
                packed(nodes[h].label, nodes[s].label, label),
            )
        s = nodes[h].before
        if s:
            self.add(
                work, SIBLING_RIGHT, g, s, h, m,
                packed(nodes[s].label, nodes[h].label, label),
            )
        s = nodes[h].after
        if s:
            self.add(
                work, SIBLING_LEFT, g, h, m, s,
                packed(nodes[h].label, nodes[s].label, label),
            )
        r = nodes[g].head
        if r != ROOT:
            self.add(
                work, GREATGRANDPARENT, r, g, h, m,
                packed(nodes[g].label, nodes[h].label, label),
            )
        return 0

    cdef int add_node(self, int m, TreeWorkspace work) except -1 nogil:
        """Add the parts that describe one node and its subtree."""
        cdef const TreeNode* node = &work.tree.nodes[m]
        cdef int n_left = min(node.n_left, <int>ENOUGH)
        cdef int n_right = min(node.n_right, <int>ENOUGH)
        self.add_values(work, SPAN, m, node.size, 0, 0)
        self.add_values(
            work, VALENCY, m, node.words_left + node.words_right,
            node.words_left, node.words_right,
        )
        if self.wanted[LABELS]:
            self.add_label_sets(m, work)
        self.add_values(
            work, CHILDREN, m, min(node.n_left + node.n_right, <int>ENOUGH),
            8 * n_left + n_right, node.tags,
        )
        return 0

    cdef int add_label_sets(self, int k, TreeWorkspace work) except -1 nogil:
        """Add the sets of the labels of a node's dependents.

        The result does not depend on their order.
        """
        cdef const TreeNode* nodes = work.tree.nodes.data()
        cdef int side, d
        cdef size_t label
        cdef uint64_t atom
        cdef uint64_t[3] sets = [0, 0, 0]
        # The stamp of a label is that of the node, plus 1 for the left and 2 for the
        # right side.
        work.stamp += 4
        for side in range(2):
            d = nodes[k].last_right if side else nodes[k].last_left
            while d:
                label = nodes[d].label + 1
                if not work.classes[d] & PUNCTUATION_BIT:
                    if label >= work.stamps.size():
                        work.stamps.resize(label + 1, 0)
                    atom = mix(SET_SALT + label)
                    if work.stamps[label] < work.stamp:
                        work.stamps[label] = work.stamp
                        sets[0] += atom
                    if not work.stamps[label] & (1 << side):
                        work.stamps[label] |= 1 << side
                        sets[1 + side] += atom
                d = nodes[d].before
        self.add_values(work, LABELS, k, sets[0], sets[1], sets[2])
        return 0

    cdef int add_others(self, int m, TreeWorkspace work) except -1 nogil:
        """Add the parts that need word classes, and the parts of subtrees."""
        cdef const TreeNode* nodes = work.tree.nodes.data()
        cdef const TreeNode* node = &nodes[m]
        cdef int n = work.tree.length
        cdef int h = node.head
        cdef int g = nodes[h].head
        cdef uint64_t labels
        cdef Part part
        self.add_values(
            work, END, m,
            2 * (node.high == n) + (work.classes[node.high + 1] & PUNCTUATION_BIT != 0),
            min(node.high - node.low + 1, <int>ENOUGH), 0,
        )
        if h == ROOT:
            return 0
        self.add(
            work, NEIGHBOURS, m, h, node.low - 1,
            node.high + 1 if node.high < n else -1, 0,
        )
        if work.partners[m] and nodes[work.partners[m]].head == h and self.wanted[PAIR]:
            part.kind = PAIR
            part.nodes = [work.partners[m], m, h, -1]
            part.values = [work.partners[m] < h < m, 0, 0]
            work.table.add(part)
        if g == ROOT:
            return 0
        labels = packed(nodes[h].label, node.label, -1)
        if work.classes[h] & PREPOSITION_BIT:
            self.add(work, PREPOSITION, g, h, m, -1, labels)
        if work.classes[m] & PREPOSITION_BIT:
            self.add(work, CASE, g, m, h, -1, labels)
        if work.classes[m] & CONJUNCTION_BIT and g < m < h:
            self.add(work, COORDINATION, m, g, h, -1, 0)
            if nodes[g].head != ROOT:
                self.add(work, CONJUNCT, m, g, nodes[g].head, -1, 0)
                self.add(work, CONJUNCT, m, h, nodes[g].head, -1, 0)
        return 0

    cdef int add_right_branch(self, TreeWorkspace work) except -1 nogil:
        """Add the length of the path of the last right dependents, as a share of all
        words.
        """
        cdef const TreeNode* nodes = work.tree.nodes.data()
        cdef int k = nodes[<int>ROOT].last_right
        cdef int length = 0
        cdef Part part
        while k:
            if work.classes[k] & PUNCTUATION_BIT:
                k = nodes[k].before
            else:
                length += 1
                k = nodes[k].last_right
        part.kind = RIGHTBRANCH
        part.nodes = [-1, -1, -1, -1]
        # The part has one feature, whose first value is the same in all trees.
        part.values = [0, length, 0]
        part.amount = <float>length / (work.tree.length)
        work.table.add(part)
        return 0

    cdef int add(
        self, TreeWorkspace work, int kind, int a, int b, int c, int d, uint64_t labels
    ) except -1 nogil:
        """Add a part, without and with its labels, if a template uses it."""
        cdef Part part
        part.nodes = [a, b, c, d]
        part.values = [0, 0, 0]
        if self.wanted[kind]:
            part.kind = kind
            work.table.add(part)
        if self.wanted[N_KINDS + kind]:
            part.kind = N_KINDS + kind
            part.values[0] = labels
            work.table.add(part)
        return 0

    cdef int add_values(
        self, TreeWorkspace work, int kind, int k, uint64_t a, uint64_t b, uint64_t c
    ) except -1 nogil:
        """Add a part of one node that has values, if a template uses it."""
        cdef Part part
        if self.wanted[kind]:
            part.kind = kind
            part.nodes = [k, -1, -1, -1]
            part.values = [a, b, c]
            work.table.add(part)
        return 0
