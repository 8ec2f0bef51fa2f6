# cython: boundscheck=False, wraparound=False
"""Greedy parses with the probabilities of their decisions (see `walker`)."""
from libc.math cimport log
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from ..state.configuration cimport ROOT, ConfigurationC, N, S
from ..model.model cimport Model
from ..search.base cimport Choice, sentences_of
from ..state.sentence cimport SentenceC
from ..softmax cimport share_of
from ..systems.base cimport attach_to_root
from ..systems.easy_first cimport focus
from .walker cimport State, Walker

from ..results import Probabilities


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
    cdef Walker walker = Walker(model, root_rule)
    cdef vector[const SentenceC*] pointers
    # The pointers are into these objects.
    sentences = list(sentences)
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t i
    cdef const SentenceC* s
    cdef State* state
    cdef Choice choice
    cdef double p
    cdef int pair, k
    heads = np.empty(n_words, dtype=np.int32)
    labels = np.empty(n_words, dtype=np.int32)
    arcs = np.ones(n_words, dtype=np.float64)
    log_words = np.zeros(n_words, dtype=np.float64)
    lowest_words = np.ones(n_words, dtype=np.float64)
    log_derivation = np.zeros(pointers.size(), dtype=np.float64)
    lowest = np.ones(pointers.size(), dtype=np.float64)
    cdef int32_t[::1] heads_view = heads
    cdef int32_t[::1] labels_view = labels
    cdef double[::1] arcs_view = arcs
    cdef double[::1] log_view = log_derivation
    cdef double[::1] lowest_view = lowest
    cdef double[::1] log_words_view = log_words
    cdef double[::1] lowest_words_view = lowest_words
    with nogil:
        model.weights.prepare()
        state = walker.new_state()
        for i in range(<Py_ssize_t>pointers.size()):
            s = pointers[i]
            walker.begin(state, s)
            while walker.reach_choice(state, s):
                pair = walker.easiest(state)
                choice = state.best[walker.row_of(state, pair)]
                p = share_of(
                    walker.total(state), choice.score * walker.per_temperature
                )
                log_view[i] += log(p)
                lowest_view[i] = min(lowest_view[i], p)
                if pair:
                    focus(&state.c, pair)
                k = credited_word(model, &state.c, choice.transition)
                if model.system.transitions[choice.transition].arc is not NULL:
                    arcs_view[at + k - 1] = p
                log_words_view[at + k - 1] += log(p)
                lowest_words_view[at + k - 1] = min(lowest_words_view[at + k - 1], p)
                walker.apply(state, s, pair, choice)
            attach_to_root(&state.c, model.root_label_id)
            for k in range(s.length):
                heads_view[at + k] = state.c.nodes[k + 1].head
                labels_view[at + k] = state.c.nodes[k + 1].label
            at += s.length
        walker.give_back(state)
    return heads, labels, Probabilities(
        arcs, log_derivation, lowest, log_words, lowest_words
    )
