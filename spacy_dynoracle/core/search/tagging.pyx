# cython: boundscheck=False, wraparound=False
"""Greedy tagging where the tags of some words are known already."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from ..model.model cimport Model
from ..state.configuration cimport NO_LABEL, RootRule
from ..state.sentence cimport SentenceC
from .base cimport sentences_of
from .stepper cimport NOTHING, Choice, Stepper
from .trees cimport TreeArrays

from ..systems.tagging import Tagging

cdef enum:
    # The only transition of the system.
    TAG = 0
    UNKNOWN_TAG = -1


cdef class BiasedStepper(Stepper):
    """Follows derivations in which a bias is added to the scores of some labels."""

    # For each action, or empty.
    cdef vector[float] biases

    cdef int favour(self, biases) except -1:
        """Take over the biases of labels, by id."""
        self.biases.assign(self.actions.n, 0)
        for label, bias in biases.items():
            for action in range(self.actions.n):
                if self.actions.label[action] == <int>label:
                    self.biases[action] = bias
        return 0

    cdef int best_action(self, const float* scores, unsigned int legal) noexcept nogil:
        """The best action, the lowest of equals; all actions are legal."""
        cdef int best = NOTHING
        cdef int a
        for a in range(self.actions.n):
            if best == NOTHING or (
                scores[a] + self.biases[a] > scores[best] + self.biases[best]
            ):
                best = a
        return best


cdef object check_words(Model model, Py_ssize_t n_words, known, probabilities):
    """Raise ValueError for arguments that `tag_words` cannot use."""
    n_labels = len(model.labels)
    if not isinstance(model.system, Tagging):
        raise ValueError(f"expected a model of a tagger, got one of {model.system!r}")
    if len(known) != n_words:
        raise ValueError(f"{len(known)} known labels for {n_words} words")
    if n_words and not -1 <= known.min() <= known.max() < n_labels:
        raise ValueError(f"known labels must be from -1 to {n_labels - 1}")
    if probabilities is None:
        return
    if len(probabilities) != n_words:
        raise ValueError(f"{len(probabilities)} probabilities for {n_words} words")
    if model.temperature is None:
        raise ValueError(f"the learner {model.learner} gave the model no temperature")


cdef Stepper new_stepper(Model model, biases, bint with_probabilities):
    """A stepper for the model of a tagger. biases: as for `tag_words`."""
    cdef Stepper stepper = (BiasedStepper if biases else Stepper)(
        model.system,
        model.extractor,
        model.actions,
        model.weights,
        RootRule.ANY,
        temperature=model.temperature if with_probabilities else None,
    )
    if biases:
        (<BiasedStepper>stepper).favour(biases)
    return stepper


def tag_words(
    Model model not None,
    list sentences not None,
    known not None,
    probabilities=None,
    biases=None,
):
    """Tag sentences from left to right; the GIL is released meanwhile.

    model: of the system `Tagging`. sentences: `Sentence` objects whose columns are
    those of the model's templates. known: int32, for each word of all sentences the
    label that it has, which is not scored and which the words behind it see, or -1.
    probabilities: float64 for each word, or None. It is filled with the probability of
    the label of the word, given those before it; 1 where the label was known.
    biases: a dict from labels (ids) to numbers that are added to their scores for the
    decision, not for the probability; or None.

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
    cdef const int32_t[::1] given = known
    cdef double[::1] filled = probabilities
    cdef bint is_filled = probabilities is not None
    cdef Choice choice
    check_words(model, n_words, known, probabilities)
    cdef Stepper stepper = new_stepper(model, biases, is_filled)
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
