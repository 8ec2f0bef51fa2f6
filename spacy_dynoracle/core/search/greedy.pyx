# cython: boundscheck=False, wraparound=False
"""Greedy search."""
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.sentence cimport SentenceC
from .base cimport Search, sentences_of
from .stepper cimport Stepper, stepper_of
from .trees cimport TreeArrays


cdef class GreedySearch(Search):
    """Take the legal action with the highest score until the configuration is terminal.

    Ties go to the lowest action. A transition that is forced and carries no label is
    carried out without asking the model. With an easy-first system the action is one
    for any pair of neighbours; ties go to the first pair.

    Source: Goldberg & Nivre 2013, algorithm 1; Goldberg & Elhadad 2010, section 3.
    """

    def parse(
        self, Model model not None, list sentences not None, root_rule=None
    ):
        cdef vector[const SentenceC*] pointers
        cdef const SentenceC* s
        cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
        cdef TreeArrays trees = TreeArrays(n_words, model.root_label_id)
        cdef Stepper stepper = stepper_of(model, root_rule)
        with nogil:
            model.weights.prepare()
            for s in pointers:
                stepper.start(s)
                while stepper.look():
                    stepper.take(stepper.best())
                trees.add(&stepper.at.c)
        return trees.heads, trees.labels
