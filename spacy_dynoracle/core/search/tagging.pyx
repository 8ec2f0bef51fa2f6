# cython: boundscheck=False, wraparound=False
"""Greedy tagging where the tags of some words are known already."""
cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

import numpy as np

from ..model.model cimport Model
from ..state.configuration cimport NO_LABEL, NO_NODE, N, RootRule
from ..state.sentence cimport SentenceC
from ..systems.actions cimport ScoredTransition
from .base cimport sentences_of
from .rows cimport stepper_of
from .stepper cimport NOTHING, ScoringStepper, Stepper
from .turns cimport Queue, Turn, take_turns

from ..systems.tagging import Tagging

cdef extern from "weights/cpp/vectors.hpp" namespace "dynoracle" nogil:
    void prefetch(const void* address)

cdef enum:
    # The only transition of the system.
    TAG = 0
    UNKNOWN_TAG = -1
    # So many words are fetched before they are tagged.
    AHEAD = 4


cdef Stepper new_stepper(Model model, temperature, biases):
    """A stepper for the model of a tagger.

    Args:
        biases: As for `tag_words`.
    """
    cdef ScoringStepper stepper
    cdef vector[float]* mask
    cdef int a
    if not biases:
        return stepper_of(model, RootRule.ANY, temperature)
    stepper = ScoringStepper(model, RootRule.ANY, temperature)
    # A mask is added to the scores of which the best one is taken.
    mask = &stepper.masks[1 << TAG]
    model.actions.mask(1 << TAG, stepper.n_scores, mask)
    for a in range(model.actions.n):
        mask[0][a] = biases.get(model.actions.label[a], 0)
    return stepper


cdef class TaggingTurn(Turn):
    """Tags one sentence of a queue after the other.

    Args:
        known, probabilities: As for `tag_words`.
    """

    cdef const int32_t[::1] known
    cdef double[::1] probabilities
    cdef bint has_probabilities

    def __cinit__(
        self,
        Queue queue,
        Stepper stepper,
        known: NDArray[np.int32],
        probabilities: NDArray[np.float64] | None,
    ):
        self.known = known
        self.probabilities = probabilities
        self.has_probabilities = probabilities is not None

    cdef int node(self) noexcept nogil:
        """The word to be tagged, from 1 on."""
        cdef int front = N(&self.stepper.at.c, 0)
        return self.stepper.sentence.length + 1 if front == NO_NODE else front

    cdef bint look(self) except -1 nogil:
        """Give words the tags that are known, up to one whose tag is not."""
        cdef const SentenceC* sentence = self.stepper.sentence
        cdef const uint64_t* later
        cdef Py_ssize_t word
        cdef int node
        for node in range(self.node(), sentence.length + 1):
            later = sentence.atoms + (node + AHEAD) * sentence.n_columns
            prefetch(later)
            prefetch(later + sentence.n_columns - 1)
            word = self.first + node - 1
            if self.known[word] == UNKNOWN_TAG:
                return self.stepper.look()
            if self.has_probabilities:
                self.probabilities[word] = 1
            self.stepper.apply(0, TAG, self.known[word])
        return False

    cdef int take(self) except -1 nogil:
        cdef ScoredTransition chosen = self.stepper.best()
        if self.has_probabilities:
            self.probabilities[self.first + self.node() - 1] = (
                self.stepper.probability(chosen)
            )
        self.stepper.take(chosen)
        return 0


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


def tag_words(
    Model model not None,
    list sentences not None: list[Sentence],
    known not None: NDArray[np.int32],
    probabilities: NDArray[np.float64] | None = None,
    biases: dict[int, float] | None = None,
) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Tag sentences from left to right; the GIL is released meanwhile.

    Args:
        model: Of the system `Tagging`.
        sentences: `Sentence` objects whose columns are those of the model's templates.
        known: int32, for each word of all sentences the label that it has, which is not
            scored and which the words behind it see, or -1.
        probabilities: float64 for each word, or None. It is filled with the probability
            of the label of the word, given those before it; 1 where the label was
            known.
        biases: A dict from labels (ids) to numbers that are added to their scores for
            the decision, not for the probability; or None.

    Returns:
        The labels of all words (int32), ids of `model.labels`, or -1 where the model
        has no label.

    Raises:
        ValueError: For another system, for sentences with other columns, for a wrong
            number of known labels or of probabilities, for labels that the model does
            not have, and if probabilities are asked of a model without a temperature.
    """
    cdef Queue queue = Queue(model, sentences, NO_LABEL)
    check_words(model, len(queue.trees.labels), known, probabilities)
    temperature = None if probabilities is None else model.temperature
    take_turns([
        TaggingTurn(
            queue, new_stepper(model, temperature, biases), known, probabilities
        )
        for _ in range(2)
    ])
    return queue.trees.labels


# The best combination so far, and the sum of its scores.
cdef struct Found:
    Py_ssize_t combination
    float score


@cython.final
cdef class Attribute:
    """An attribute of words that get one of some combinations of labels.

    Args:
        model: The model of the attribute.
        labels: The labels of all words, which are changed.
        choices: The label in each combination, UNKNOWN_TAG for any.
        others: The attributes before it in the combinations, or None.
    """

    cdef ScoringStepper stepper
    cdef int32_t[::1] labels
    cdef const int32_t[::1] choices
    cdef Attribute others
    # The action of each combination, NOTHING for any.
    cdef vector[int] actions
    # Of the word that is scored: the highest score, and that of the label it has.
    cdef float highest, own

    def __cinit__(
        self,
        Model model not None,
        int32_t[::1] labels not None,
        const int32_t[::1] choices not None,
        Attribute others,
    ):
        cdef Py_ssize_t i
        self.stepper = ScoringStepper(model, RootRule.ANY)
        self.stepper.weights.prepare()
        self.labels = labels
        self.choices = choices
        self.others = others
        for i in range(choices.shape[0]):
            self.actions.push_back(model.actions.id_of(TAG, choices[i]))

    cdef int start(self, const SentenceC* sentence) except -1 nogil:
        """Begin a sentence."""
        self.stepper.start(sentence)
        return 0 if self.others is None else self.others.start(sentence)

    cdef int look(self, Py_ssize_t word) except -1 nogil:
        """Score the next word, for all attributes."""
        cdef int action = self.stepper.actions.id_of(TAG, self.labels[word])
        self.stepper.look()
        self.highest = self.stepper.best().score
        self.own = 0 if action == NOTHING else self.stepper.scores[action]
        return 0 if self.others is None else self.others.look(word)

    cdef inline float score(self, Py_ssize_t combination) noexcept nogil:
        """The score of the label in a combination; it may be the label of the word."""
        cdef int action = self.actions[combination]
        return self.own if action == NOTHING else self.stepper.scores[action]

    cdef float total(self, Py_ssize_t combination) noexcept nogil:
        """The sum of the scores of all attributes."""
        cdef float rest = 0 if self.others is None else self.others.total(combination)
        return self.score(combination) + rest

    cdef void search(self, int start, int end, float rest, Found* best) noexcept nogil:
        """Look for a better combination among some that differ in this attribute alone.

        Args:
            rest: The sum of the scores of the other attributes.
        """
        cdef int i
        for i in range(start, end):
            if self.score(i) > best.score - rest:
                best.score = rest + self.score(i)
                best.combination = i

    cdef void give(self, Py_ssize_t word, Py_ssize_t combination) noexcept nogil:
        """Give a word its labels in a combination."""
        if self.choices[combination] != UNKNOWN_TAG:
            self.labels[word] = self.choices[combination]
        if self.others is not None:
            self.others.give(word, combination)

    cdef void take(self, Py_ssize_t word) noexcept nogil:
        """Go on behind a word, with the labels that it has."""
        self.stepper.apply(0, TAG, self.labels[word])
        if self.others is not None:
            self.others.take(word)


cdef Py_ssize_t best_combination(
    Attribute last, const int64_t[::1] groups, vector[float]& sums
) noexcept nogil:
    """The combination with the highest sum of scores, for the word that is scored.

    Args:
        groups: Where the combinations begin that differ in the last attribute alone,
            and the end of all.
        sums: Room for a number for each group.
    """
    cdef Found best = Found(combination=0, score=-INFINITY)
    cdef size_t group, top = 0
    for group in range(sums.size()):
        sums[group] = last.others.total(groups[group])
        if sums[group] > sums[top]:
            top = group
    # After the best group most others cannot win, whatever the last label is.
    last.search(groups[top], groups[top + 1], sums[top], &best)
    for group in range(sums.size()):
        if sums[group] + last.highest > best.score:
            last.search(groups[group], groups[group + 1], sums[group], &best)
    return best.combination


def combine_tags(
    list sentences not None: list[Sentence],
    list models not None: list[Model],
    list labels not None: list[NDArray[np.int32]],
    combinations not None: NDArray[np.int32],
    const int64_t[::1] words not None: NDArray[np.int64],
) -> None:
    """Give some words the combination of labels with the highest sum of scores.

    The other words keep their labels. The GIL is released meanwhile.

    Args:
        sentences: As for `tag_words`.
        models: Of the system `Tagging`, one for each of two or more attributes.
        labels: For each attribute the labels of all words; they are changed.
        combinations: Labels of shape (n attributes, n combinations), sorted; -1 stands
            for the label that a word has.
        words: The words that get a combination, ascending.

    Raises:
        ValueError: For another system, for sentences with other columns, and for labels
            that a model does not have.
    """
    cdef vector[const SentenceC*] pointers
    cdef vector[float] sums
    cdef Attribute last = None
    cdef Py_ssize_t word, start, end = 0, done = 0
    cdef size_t i
    differ = (combinations[:-1, 1:] != combinations[:-1, :-1]).any(axis=0)
    cdef const int64_t[::1] groups = np.flatnonzero(np.hstack([True, differ, True]))
    for model, column, choices in zip(models, labels, combinations, strict=True):
        pointers.clear()
        n_words = sentences_of(model, sentences, &pointers)
        check_words(model, n_words, column, None)
        check_words(model, len(choices), choices, None)
        last = Attribute(model, column, choices, last)
    sums.resize(groups.shape[0] - 1)
    with nogil:
        for i in range(pointers.size()):
            start = end
            end += pointers[i].length
            if done == words.shape[0] or words[done] >= end:
                continue
            last.start(pointers[i])
            for word in range(start, end):
                if done < words.shape[0] and words[done] == word:
                    last.look(word)
                    last.give(word, best_combination(last, groups, sums))
                    done += 1
                last.take(word)
