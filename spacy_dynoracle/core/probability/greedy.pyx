# cython: boundscheck=False, wraparound=False
"""Greedy parses with the probabilities of their decisions.

The probability of an action is its share in the softmax of scores / temperature over
the legal actions of a configuration, in easy-first over those of all pairs of
neighbours; the probability of a derivation is the product over its decisions.
Transitions that are forced and not scored have probability 1.

Source: Goldberg 2013, section 3.3.
"""
from libc.math cimport log
from libcpp.vector cimport vector

import numpy as np

from ..model.model cimport Model
from ..search.base cimport sentences_of
from ..search.stepper cimport NOTHING, Choice, Stepper
from ..search.trees cimport TreeArrays
from ..state.sentence cimport SentenceC

from ..results import Probabilities


def temperature_of(Model model not None):
    """The temperature of a model.

    Raises ValueError if there is none.
    """
    if model.temperature is None:
        raise ValueError(
            f"scores of the learner {model.learner} are no probabilities: train "
            f"with AdaGradRDA, or fit a temperature (spacy-dynoracle calibrate)"
        )
    return model.temperature


cdef class ProbabilityArrays:
    """The probabilities of the decisions, added up by sentence and by word; filled in
    the order of the sentences."""

    cdef readonly object arcs
    cdef readonly object log_derivation
    cdef readonly object lowest
    cdef readonly object log_words
    cdef readonly object lowest_words
    cdef double[::1] _arcs
    cdef double[::1] _log_derivation
    cdef double[::1] _lowest
    cdef double[::1] _log_words
    cdef double[::1] _lowest_words

    def __cinit__(self, Py_ssize_t n_sentences, Py_ssize_t n_words):
        self.arcs = self._arcs = np.ones(n_words)
        self.log_derivation = self._log_derivation = np.zeros(n_sentences)
        self.lowest = self._lowest = np.ones(n_sentences)
        self.log_words = self._log_words = np.zeros(n_words)
        self.lowest_words = self._lowest_words = np.ones(n_words)

    cdef void add(
        self, Py_ssize_t sentence, Py_ssize_t word, double p, bint is_arc
    ) noexcept nogil:
        """Add a decision of probability p that is credited to a word.

        is_arc: whether it adds the arc of that word.
        """
        self._log_derivation[sentence] += log(p)
        self._lowest[sentence] = min(self._lowest[sentence], p)
        if is_arc:
            self._arcs[word] = p
        self._log_words[word] += log(p)
        self._lowest_words[word] = min(self._lowest_words[word], p)

    cdef object result(self):
        return Probabilities(
            self.arcs,
            self.log_derivation,
            self.lowest,
            self.log_words,
            self.lowest_words,
        )


def parse_with_probabilities(Model model not None, sentences, root_rule=None):
    """Parse sentences greedily, with the probability of every decision.

    root_rule: as of `Search.parse`.

    Returns (heads, labels, `Probabilities`), the first two as `Search.parse` does.
    Raises ValueError for a model without a temperature.
    """
    cdef Stepper stepper = Stepper(
        model.system,
        model.extractor,
        model.actions,
        model.weights,
        root_rule,
        temperature=temperature_of(model),
    )
    cdef vector[const SentenceC*] pointers
    # The pointers are into these objects.
    sentences = list(sentences)
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef TreeArrays trees = TreeArrays(n_words, model.root_label_id)
    cdef ProbabilityArrays found = ProbabilityArrays(pointers.size(), n_words)
    cdef Py_ssize_t i
    cdef int word
    cdef Choice choice
    with nogil:
        model.weights.prepare()
        for i in range(<Py_ssize_t>pointers.size()):
            stepper.start(pointers[i])
            while stepper.look():
                choice = stepper.best()
                if choice.action != NOTHING:
                    stepper.focus(choice.row)
                    word = model.system.credited_word(choice.transition, &stepper.at.c)
                    found.add(
                        i,
                        trees.at + word - 1,
                        stepper.probability(choice),
                        model.system.transitions[choice.transition].arc is not NULL,
                    )
                stepper.take(choice)
            trees.add(&stepper.at.c)
    return trees.heads, trees.labels, found.result()
