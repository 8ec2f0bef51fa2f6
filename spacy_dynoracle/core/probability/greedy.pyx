# cython: boundscheck=False, wraparound=False
"""Greedy parses with the probabilities of their decisions.

The probability of an action is its share in the softmax of scores / temperature over
the legal actions of a configuration, in easy-first over those of all pairs of
neighbours; the probability of a derivation is the product over its decisions.
Transitions that are forced and not scored have probability 1.

Source: Goldberg 2013, section 3.3.
"""
from libc.math cimport log

import numpy as np

from ..model.model cimport Model
from ..search.rows cimport stepper_of
from ..search.stepper cimport NOTHING, Stepper
from ..search.turns cimport Queue, Turn, take_turns
from ..systems.actions cimport ScoredTransition

from ..results import Probabilities


def temperature_of(Model model not None) -> float:
    """The temperature of a model.

    Raises:
        ValueError: If there is none.
    """
    if model.temperature is None:
        raise ValueError(
            f"scores of the learner {model.learner} are no probabilities: train "
            f"with AdaGradRDA, or fit a temperature (spacy-dynoracle calibrate)"
        )
    return model.temperature


cdef class ProbabilityArrays:
    """The probabilities of the decisions, added up by sentence and by word."""

    cdef object result
    cdef double[::1] _arcs
    cdef double[::1] _log_derivation
    cdef double[::1] _lowest
    cdef double[::1] _log_words
    cdef double[::1] _lowest_words

    def __cinit__(self, Py_ssize_t n_sentences, Py_ssize_t n_words):
        self._arcs = arcs = np.ones(n_words)
        self._log_derivation = log_derivation = np.zeros(n_sentences)
        self._lowest = lowest = np.ones(n_sentences)
        self._log_words = log_words = np.zeros(n_words)
        self._lowest_words = lowest_words = np.ones(n_words)
        self.result = Probabilities(
            arcs, log_derivation, lowest, log_words, lowest_words
        )

    cdef void add(
        self, Py_ssize_t sentence, Py_ssize_t word, double p, bint is_arc
    ) noexcept nogil:
        """Add a decision of probability p that is credited to a word.

        Args:
            is_arc: Whether it adds the arc of that word.
        """
        cdef double log_p = log(p)
        self._log_derivation[sentence] += log_p
        self._lowest[sentence] = min(self._lowest[sentence], p)
        if is_arc:
            self._arcs[word] = p
        self._log_words[word] += log_p
        self._lowest_words[word] = min(self._lowest_words[word], p)


cdef class RecordingTurn(Turn):
    """Parses one sentence of a queue after the other and records the probabilities of
    the decisions.
    """

    cdef ProbabilityArrays found

    def __cinit__(self, Queue queue, Stepper stepper, ProbabilityArrays found not None):
        self.found = found

    cdef int take(self) except -1 nogil:
        cdef ScoredTransition chosen = self.stepper.best()
        if chosen.action != NOTHING:
            self._record(chosen)
        self.stepper.take(chosen)
        return 0

    cdef int _record(self, ScoredTransition chosen) except -1 nogil:
        """Add the probability of a transition that was scored."""
        cdef int word
        self.stepper.focus(chosen.row)
        word = self.stepper.system.credited_word(
            chosen.transition, &self.stepper.at.c
        )
        self.found.add(
            self.number,
            self.first + word - 1,
            self.stepper.probability(chosen),
            self.stepper.system.transitions[chosen.transition].arc is not NULL,
        )
        return 0


cdef RecordingTurn new_turn(
    Model model, Queue queue, root_rule, ProbabilityArrays found
):
    """A turn with a stepper of its own."""
    cdef Stepper stepper = stepper_of(model, root_rule, temperature_of(model))
    return RecordingTurn(queue, stepper, found)


def parse_with_probabilities(
    Model model not None,
    sentences: Sequence[Sentence],
    root_rule: RootRule | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], Probabilities]:
    """Parse sentences greedily, with the probability of every decision.

    Args:
        root_rule: As of `Search.parse`.

    Returns:
        (heads, labels, `Probabilities`), the first two as `Search.parse` does.

    Raises:
        ValueError: For a model without a temperature.
    """
    # The queue points into these objects.
    sentences = list(sentences)
    cdef Queue queue = Queue(model, sentences, model.root_label_id)
    cdef ProbabilityArrays found = ProbabilityArrays(
        len(sentences), len(queue.trees.heads)
    )
    cdef RecordingTurn one = new_turn(model, queue, root_rule, found)
    cdef RecordingTurn other = None
    if len(sentences) > 1:
        other = new_turn(model, queue, root_rule, found)
    take_turns(one, other)
    return queue.trees.heads, queue.trees.labels, found.result
