# cython: boundscheck=False, wraparound=False
"""Greedy tagging where the tags of some words are known already."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from ..systems.actions cimport check_actions
from ..state.configuration cimport RootRule, reserve
from ..model.model cimport Model
from .base cimport Workspace, sentences_of
from ..state.sentence cimport SentenceC

from ..systems.tagging import Tagging

cdef enum:
    # The only transition of the system.
    TAG = 0


def tag_words(Model model not None, list sentences not None, known not None):
    """Tag sentences from left to right; the GIL is released meanwhile.

    model: of the system `Tagging`. sentences: `Sentence` objects whose columns are
    those of the model's templates. known: int32, for each word of all sentences the
    label that it has, which is not scored and which the words behind it see, or -1.

    Returns the labels of all words (int32), ids of `model.labels`, or -1 where the
    model has no label.

    Raises ValueError for another system, for sentences with other columns, for a wrong
    number of known labels, and for labels that the model does not have.
    """
    cdef Workspace work = Workspace()
    cdef vector[const SentenceC*] pointers
    cdef const SentenceC* s
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t at = 0
    cdef int action, n_keys
    cdef int n_labels = len(model.labels)
    cdef const int32_t[::1] given = known
    labels = np.empty(n_words, dtype=np.int32)
    cdef int32_t[::1] found = labels
    if not isinstance(model.system, Tagging):
        raise ValueError(f"expected a model of a tagger, got one of {model.system!r}")
    if given.shape[0] != n_words:
        raise ValueError(f"{given.shape[0]} known labels for {n_words} words")
    if n_words and not -1 <= known.min() <= known.max() < n_labels:
        raise ValueError(f"known labels must be from -1 to {n_labels - 1}")
    check_actions(model.system, model.actions, model.weights)
    work.fit(model.weights.n_scores())
    with nogil:
        model.weights.prepare()
        for s in pointers:
            reserve(&work.c, s.length)
            model.system.start(&work.c, s.length, RootRule.ANY)
            for _ in range(s.length):
                found[at] = given[at]
                if found[at] == -1:
                    n_keys = model.extractor.extract(&work.c, s, work.keys)
                    model.weights.score(work.keys, n_keys, work.scores)
                    action = model.actions.best_legal(work.scores, 1 << TAG, &work.c)
                    if action != -1:
                        found[at] = model.actions.label[action]
                model.system.transitions[TAG].apply(&work.c, found[at])
                at += 1
    return labels
