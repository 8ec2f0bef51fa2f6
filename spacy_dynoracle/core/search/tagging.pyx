# cython: boundscheck=False, wraparound=False
"""Greedy tagging where the tags of some words are known already."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport NO_LABEL, RootRule
from ..state.sentence cimport SentenceC
from .base cimport sentences_of
from .stepper cimport Stepper, stepper_of
from .trees cimport TreeArrays

from ..systems.tagging import Tagging

cdef enum:
    # The only transition of the system.
    TAG = 0
    UNKNOWN_TAG = -1


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
    cdef vector[const SentenceC*] pointers
    cdef const SentenceC* s
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t at = 0
    cdef int n_labels = len(model.labels)
    cdef const int32_t[::1] given = known
    if not isinstance(model.system, Tagging):
        raise ValueError(f"expected a model of a tagger, got one of {model.system!r}")
    if given.shape[0] != n_words:
        raise ValueError(f"{given.shape[0]} known labels for {n_words} words")
    if n_words and not -1 <= known.min() <= known.max() < n_labels:
        raise ValueError(f"known labels must be from -1 to {n_labels - 1}")
    cdef Stepper stepper = stepper_of(model, RootRule.ANY)
    cdef TreeArrays trees = TreeArrays(n_words, NO_LABEL)
    with nogil:
        model.weights.prepare()
        for s in pointers:
            stepper.start(s)
            for _ in range(s.length):
                if given[at] == UNKNOWN_TAG:
                    stepper.look()
                    stepper.take(stepper.best())
                else:
                    stepper.apply(0, TAG, given[at])
                at += 1
            trees.add(&stepper.at.c)
    return trees.labels
