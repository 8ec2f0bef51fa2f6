# cython: boundscheck=False, wraparound=False
"""Tagging from left to right as a transition system.

A tagged sentence is a flat tree: every word depends on ROOT, and its tag is the label
of that arc. With this reading actions, oracles, exploration, learners and search are
those of the parser: a tag is the label of an action, a word with an unknown gold tag
is a word with an unknown head, and the history of a tagger is the stack, whose labels
(`S0l`, `S1l` ...) the feature templates see.

Notation of the formulas: c = (sigma, b|beta, A), T the gold arcs.
"""
from ..state.configuration cimport (
    NO_NODE,
    ROOT,
    ConfigurationC,
    N,
    Node,
    next_word,
    push,
)
from .base cimport Arc, ArcTransition, TransitionSystem

cdef class Tag(ArcTransition):
    """TAG_t: give the front of the buffer the tag t.

    Precondition: b exists.
    Effect: (sigma, b|beta, A) -> (sigma|b, beta, A + (ROOT,t,b))
    Cost: no arc is ever lost, so C(TAG) = 0; a wrong label costs 1, as everywhere.
    """

    cdef bint legal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) != NO_NODE

    cdef void apply(self, ConfigurationC* c, int label) noexcept nogil:
        cdef int k = next_word(c)
        cdef Node* root = &c.nodes[ROOT]
        cdef Node* word = &c.nodes[k]
        # What `add_arc` does, without the set of the labels below ROOT: keeping it
        # takes time that grows with the square of the length of a document.
        word.head = ROOT
        word.label = label
        word.sibling = root.rightmost
        root.rightmost = k
        root.n_right += 1
        root.size += 1
        push(c, k)

    cdef Arc arc(self, const ConfigurationC* c) noexcept nogil:
        return Arc(head=ROOT, dependent=N(c, 0))


cdef class Tagging(TransitionSystem):
    """The transition system of a tagger.

    - Initial: an empty stack; the buffer holds the words.
    - Terminal: an empty buffer, after n transitions.

    Args:
        root, single_root, root_label_constraint: As for parsers; there is no choice.

    Raises:
        ValueError: For restrictions to roots.
    """

    root_places = ("none",)
    builds_trees = False
    default_features = "spacy_dynoracle.TaggerFeatures.v1"

    def __cinit__(self, *_, **__):
        self.add(Tag())

    def __init__(self, root=None, single_root=None, root_label_constraint=False):
        if single_root or root_label_constraint:
            raise ValueError(
                "Tagging makes every word a dependent of ROOT: single_root and "
                "root_label_constraint are for parsing"
            )
        super().__init__(root, single_root, root_label_constraint)

    cdef bint terminal(self, const ConfigurationC* c) noexcept nogil:
        return N(c, 0) == NO_NODE

    def transitions_of(self, int head, int dependent) -> tuple[str, ...]:
        """TAG for arcs out of ROOT, and nothing for others."""
        return ("TAG",) if head == ROOT else ()
