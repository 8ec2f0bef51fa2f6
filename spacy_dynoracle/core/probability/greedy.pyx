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
from ..state.configuration cimport ROOT, ConfigurationC, N, S
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


cdef int credited_word(
    Model model, const ConfigurationC* c, int transition
) noexcept nogil:
    """The word to which a decision is credited (see `Probabilities`)."""
    if model.system.transitions[transition].arc is not NULL:
        return model.system.transitions[transition].arc(c).dependent
    # SHIFT is the first transition wherever there is one.
    if N(c, 0) > ROOT and (transition == 0 or S(c, 0) <= ROOT):
        return N(c, 0)
    return S(c, 0) if S(c, 0) > ROOT else 1


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
    cdef Py_ssize_t i, word
    cdef Choice choice
    cdef double p
    arcs = np.ones(n_words, dtype=np.float64)
    log_words = np.zeros(n_words, dtype=np.float64)
    lowest_words = np.ones(n_words, dtype=np.float64)
    log_derivation = np.zeros(pointers.size(), dtype=np.float64)
    lowest = np.ones(pointers.size(), dtype=np.float64)
    cdef double[::1] arcs_view = arcs
    cdef double[::1] log_view = log_derivation
    cdef double[::1] lowest_view = lowest
    cdef double[::1] log_words_view = log_words
    cdef double[::1] lowest_words_view = lowest_words
    with nogil:
        model.weights.prepare()
        for i in range(<Py_ssize_t>pointers.size()):
            stepper.start(pointers[i])
            while stepper.look():
                choice = stepper.best()
                if choice.action != NOTHING:
                    p = stepper.probability(choice)
                    log_view[i] += log(p)
                    lowest_view[i] = min(lowest_view[i], p)
                    stepper.focus(choice.row)
                    word = trees.at - 1 + credited_word(
                        model, &stepper.at.c, choice.transition
                    )
                    if model.system.transitions[choice.transition].arc is not NULL:
                        arcs_view[word] = p
                    log_words_view[word] += log(p)
                    lowest_words_view[word] = min(lowest_words_view[word], p)
                stepper.take(choice)
            trees.add(&stepper.at.c)
    return trees.heads, trees.labels, Probabilities(
        arcs, log_derivation, lowest, log_words, lowest_words
    )
