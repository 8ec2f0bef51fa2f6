# cython: boundscheck=False, wraparound=False
"""Parses with the probabilities of their decisions.

The probability of an action is its share in the softmax of scores / temperature over
the legal actions of a configuration, in easy-first over those of all pairs of
neighbours; the probability of a derivation is the product over its decisions.
Transitions that are forced and not scored have probability 1.

Source: Goldberg 2013, section 3.3.
"""
from libc.math cimport log

import numpy as np

from ..model.model cimport Model
from ..search.base cimport Search
from ..search.stepper cimport NOTHING, Stepper
from ..search.turns cimport Queue, Turn, take_turns, turns_of
from ..systems.actions cimport ScoredTransition
from ..systems.base cimport Transition

from ..results import Probabilities
from ..search.greedy import GreedySearch

GREEDY = GreedySearch()


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


cdef class RecordingTurn(Turn):
    """Parses one sentence of a queue after the other and adds the probabilities of the
    decisions to `Probabilities`.
    """

    cdef double[::1] arcs, log_words, lowest_words

    def __cinit__(self, Queue queue, Stepper stepper, found: Probabilities):
        self.arcs, self.log_words, self.lowest_words = found
        self.needs_scores = True

    cdef int accept(self, ScoredTransition chosen) except -1 nogil:
        if chosen.action != NOTHING:
            self._record(chosen)
        return Turn.accept(self, chosen)

    cdef int _record(self, ScoredTransition chosen) except -1 nogil:
        """Add the probability of a transition that was scored."""
        cdef int t = chosen.transition
        cdef double p = self.stepper.probability(chosen)
        cdef Py_ssize_t word
        self.stepper.system.focus_row(&self.stepper.at.c, chosen.row)
        word = self.stepper.system.credited_word(t, &self.stepper.at.c)
        word += self.first - 1
        if (<Transition>self.stepper.system.transitions[t]).adds_arc:
            self.arcs[word] = p
        self.log_words[word] += log(p)
        self.lowest_words[word] = min(self.lowest_words[word], p)
        return 0


def parse_with_probabilities(
    Model model not None,
    sentences: Sequence[Sentence],
    root_rule: RootRule | None = None,
    Search search = GREEDY,
    temperature: float | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], Probabilities]:
    """Parse sentences, with the probability of every decision.

    Args:
        root_rule: As of `Search.parse`.
        search: Greedy search, or a beam.
        temperature: Of the probabilities alone, not of the search; by default that of
            the model.

    Returns:
        (heads, labels, `Probabilities`), the first two as `Search.parse` does.

    Raises:
        ValueError: Without a temperature.
    """
    # The queue points into these objects.
    sentences = list(sentences)
    cdef Queue queue = Queue(model, sentences, model.root_label_id)
    temperature = temperature or temperature_of(model)
    n_words = len(queue.trees.heads)
    found = Probabilities(np.ones(n_words), np.zeros(n_words), np.ones(n_words))
    take_turns(turns_of(
        search, RecordingTurn, queue, model, root_rule, temperature, found
    ))
    return queue.trees.heads, queue.trees.labels, found
