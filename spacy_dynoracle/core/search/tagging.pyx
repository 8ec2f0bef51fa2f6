# cython: boundscheck=False, wraparound=False
"""Greedy tagging where the tags of some words are known already."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport NO_LABEL, RootRule
from ..state.sentence cimport SentenceC
from .base cimport sentences_of
from .stepper cimport Choice, Stepper
from .trees cimport TreeArrays

from ..systems.tagging import Tagging

cdef enum:
    # The only transition of the system.
    TAG = 0
    UNKNOWN_TAG = -1


def tag_words(
    Model model not None, list sentences not None, known not None, probabilities=None
):
    """Tag sentences from left to right; the GIL is released meanwhile.

    model: of the system `Tagging`. sentences: `Sentence` objects whose columns are
    those of the model's templates. known: int32, for each word of all sentences the
    label that it has, which is not scored and which the words behind it see, or -1.
    probabilities: float64 for each word, or None. It is filled with the probability of
    the label of the word, given those before it; 1 where the label was known.

    Returns the labels of all words (int32), ids of `model.labels`, or -1 where the
    model has no label.

    Raises ValueError for another system, for sentences with other columns, for a wrong
    number of known labels or of probabilities, for labels that the model does not have,
    and if probabilities are asked of a model without a temperature.
    """
    cdef vector[const SentenceC*] pointers
    cdef const SentenceC* s
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t at = 0
    cdef int n_labels = len(model.labels)
    cdef const int32_t[::1] given = known
    cdef double[::1] filled = probabilities
    cdef bint is_filled = probabilities is not None
    cdef Choice choice
    if not isinstance(model.system, Tagging):
        raise ValueError(f"expected a model of a tagger, got one of {model.system!r}")
    if given.shape[0] != n_words:
        raise ValueError(f"{given.shape[0]} known labels for {n_words} words")
    if n_words and not -1 <= known.min() <= known.max() < n_labels:
        raise ValueError(f"known labels must be from -1 to {n_labels - 1}")
    if is_filled and filled.shape[0] != n_words:
        raise ValueError(f"{filled.shape[0]} probabilities for {n_words} words")
    if is_filled and model.temperature is None:
        raise ValueError(f"the learner {model.learner} gave the model no temperature")
    cdef Stepper stepper = Stepper(
        model.system,
        model.extractor,
        model.actions,
        model.weights,
        RootRule.ANY,
        temperature=model.temperature if is_filled else None,
    )
    cdef TreeArrays trees = TreeArrays(n_words, NO_LABEL)
    with nogil:
        model.weights.prepare()
        for s in pointers:
            stepper.start(s)
            for _ in range(s.length):
                if given[at] == UNKNOWN_TAG:
                    stepper.look()
                    choice = stepper.best()
                    if is_filled:
                        filled[at] = stepper.probability(choice)
                    stepper.take(choice)
                else:
                    if is_filled:
                        filled[at] = 1
                    stepper.apply(0, TAG, given[at])
                at += 1
            trees.add(&stepper.at.c)
    return trees.labels
