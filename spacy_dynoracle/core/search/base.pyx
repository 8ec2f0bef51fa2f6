# cython: boundscheck=False, wraparound=False
"""What every search algorithm offers: from sentences to heads and labels."""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libcpp.vector cimport vector

import numpy as np

from ..state.configuration cimport RootRule, release
from ..systems.actions cimport check_actions
from ..model.model cimport Model
from ..state.sentence cimport Sentence, SentenceC
from ..systems.base cimport TransitionSystem, attach_to_root


cdef class Workspace:
    """The memory that parsing needs; each thread has its own."""

    def __cinit__(self):
        self.c.block = NULL
        self.c.capacity = 0
        self.scores = NULL

    def __dealloc__(self):
        release(&self.c)
        free(self.scores)

    cdef int fit(self, int n_scores) except -1:
        free(self.scores)
        self.scores = <float*>malloc(sizeof(float) * (n_scores + 1))
        if self.scores is NULL:
            raise MemoryError(f"no memory for the scores of {n_scores} actions")
        return 0


cdef Py_ssize_t sentences_of(
    Model model, sentences, vector[const SentenceC*]* pointers
) except -1:
    """Check sentences and point to them, as long as the list lives. Returns the number
    of their words.

    Raises ValueError for a sentence with other columns than those of the model.
    """
    cdef Sentence sentence
    cdef Py_ssize_t n_words = 0
    cdef int n_columns = len(model.columns)
    for item in sentences:
        if item is None:
            raise TypeError("expected a Sentence, got None")
        sentence = item
        if sentence.c.n_columns != n_columns:
            raise ValueError(
                f"the model reads {n_columns} attributes of a word, the sentence "
                f"has {sentence.c.n_columns}"
            )
        pointers.push_back(&sentence.c)
        n_words += sentence.c.length
    return n_words


cdef class Search:
    """Finds the best derivation of a sentence under a model."""

    def check_system(self, TransitionSystem system not None):
        """Raise ValueError for a system that it cannot search."""

    cdef int parse_sentence(
        self, Model model, const SentenceC* sentence, RootRule root_rule, Workspace work
    ) except -1 nogil:
        """Leave a terminal configuration in `work.c`."""
        return 0

    def parse(
        self, Model model not None, list sentences not None, root_rule=None
    ):
        """Parse sentences; the GIL is released meanwhile.

        sentences: `Sentence` objects whose columns are those of the model's templates.
        root_rule: how many roots a sentence may have, a `RootRule`; by default what
            the `single_root` of the model's system asks for.

        Returns (heads, labels): two int32 arrays over all words of all sentences, one
        sentence after the other. A head is a word 1..n of the sentence or 0 for ROOT;
        a label is an id of `model.labels`, or -1 where the model has no label.

        Raises ValueError for a sentence with other columns.
        """
        cdef Workspace work = Workspace()
        cdef RootRule rule = model.system.chosen_rule(root_rule)
        cdef vector[const SentenceC*] pointers
        cdef const SentenceC* s
        cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
        cdef Py_ssize_t at = 0
        cdef int k
        heads = np.empty(n_words, dtype=np.int32)
        labels = np.empty(n_words, dtype=np.int32)
        cdef int32_t[::1] heads_view = heads
        cdef int32_t[::1] labels_view = labels
        check_actions(model.system, model.actions, model.weights)
        work.fit(model.weights.n_scores())
        with nogil:
            model.weights.prepare()
            for s in pointers:
                self.parse_sentence(model, s, rule, work)
                attach_to_root(&work.c, model.root_label_id)
                for k in range(s.length):
                    heads_view[at + k] = work.c.nodes[k + 1].head
                    labels_view[at + k] = work.c.nodes[k + 1].label
                at += s.length
        return heads, labels

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"
