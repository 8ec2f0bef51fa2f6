# cython: boundscheck=False, wraparound=False
"""Sentences that are parsed in turn.

Two sentences are parsed at the same time, a transition of each in turn. While memory
arrives for the features of one, the other is parsed. Neither knows of the other, so
the parses are those of one sentence after the other. More than two sentences would
need more than the first cache.
"""
cimport cython
from libc.math cimport INFINITY

from ..model.model cimport Model
from .base cimport sentences_of
from .rows cimport stepper_of
from .stepper cimport NOTHING, ScoringStepper


cdef class Queue:
    """The sentences that nobody has begun, and the trees of the others.

    Args:
        root_label: As for `TreeArrays`.

    Raises:
        ValueError: For sentences that the model cannot use.
    """

    def __cinit__(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        int root_label,
    ):
        n_words = sentences_of(model, sentences, &self.sentences)
        self.trees = TreeArrays(n_words, root_label)


cdef class Turn:
    """Parses one sentence of a queue after the other, one transition at a time.

    Attributes:
        goes_on: Whether there is a further transition.
    """

    def __cinit__(self, Queue queue not None, Stepper stepper not None, *_):
        self.queue = queue
        self.stepper = stepper

    @cython.final
    cdef int begin(self) except -1 nogil:
        """Begin the next sentence in which there is something to choose."""
        cdef const SentenceC* sentence
        while self.queue.next < self.queue.sentences.size():
            sentence = self.queue.sentences[self.queue.next]
            self.first = self.queue.at
            self.queue.next += 1
            self.queue.at += sentence.length
            self.stepper.start(sentence)
            self.taken.clear()
            self.beam_has_begun = False
            if self.look():
                self.goes_on = True
                return 0
            self.queue.trees.put(&self.stepper.at.c, self.first)
        self.goes_on = False
        return 0

    @cython.final
    cdef int step(self) except -1 nogil:
        """Take a transition, and look at what comes then."""
        self.take()
        if self.look():
            return 0
        self.queue.trees.put(&self.stepper.at.c, self.first)
        return self.begin()

    # ---- what others may be particular about -----------------------------------------

    cdef bint look(self) except -1 nogil:
        """Look at what can be chosen; False at the end of the sentence."""
        if self.beam_decides:
            if self.beam.goes_on(self.stepper.sentence):
                return True
            self.take_found()
            self.beam_decides = False
        return self.stepper.look()

    cdef int take(self) except -1 nogil:
        """Take the best choice, or let the beam decide."""
        cdef ScoredTransition chosen
        if self.beam_decides:
            self.beam.take()
            return 0
        chosen = self.stepper.best()
        if (
            self.beam is None
            # Nothing was scored.
            or chosen.action == NOTHING
            or (self.margin < INFINITY and self.stepper.is_sure(chosen, self.margin))
        ):
            return self.accept(chosen)
        self.beam_decides = True
        if not self.beam_has_begun:
            self.beam.start(self.stepper.sentence)
            self.beam_has_begun = True
        self.beam.look_ahead(&self.taken, self.stepper.scores.data())
        self.taken.clear()
        return 0

    cdef int take_found(self) except -1 nogil:
        """Take what the beam has found."""
        cdef ScoredTransition chosen
        cdef size_t i
        chosen.row = 0
        chosen.score = 0
        self.beam.derivation(
            self.beam.states[0].last, &self.steps, self.beam.first_step
        )
        for i in range(self.steps.size()):
            chosen.action = self.steps[i].action
            chosen.transition = self.steps[i].transition
            if self.needs_scores:
                if i > 0:
                    self.stepper.look()
                    self.stepper.best()
                # A beam may score forced transitions, too.
                if self.stepper.known.is_forced:
                    chosen.action = NOTHING
                elif chosen.action != NOTHING:
                    chosen.score = self.stepper.scores[chosen.action]
            self.accept(chosen)
        return 0

    cdef int accept(self, ScoredTransition chosen) except -1 nogil:
        """Carry out a choice."""
        if self.beam is not None and not self.beam_decides:
            self.taken.push_back(chosen)
        self.stepper.take(chosen)
        return 0


cdef list turns_of(
    Search search,
    kind,
    Queue queue,
    Model model,
    root_rule,
    temperature=None,
    found=None,
):
    """Two turns in which a search decides.

    Args:
        kind: The class of the turns.
        temperature: As of `Stepper`.
        found: The last argument of the class.
    """
    cdef Turn turn
    cdef Beam beam
    turns = []
    for _ in range(2):
        beam = search.beam(model, root_rule)
        if beam is None:
            turn = kind(queue, stepper_of(model, root_rule, temperature), found)
        else:
            stepper = ScoringStepper(model, root_rule, temperature)
            turn = kind(queue, stepper, found)
            turn.beam = beam
            turn.margin = beam.margin()
        turns.append(turn)
    return turns


cdef int take_turns(list turns) except -1:
    """Parse the sentences of a queue, with two turns; the GIL is released meanwhile."""
    cdef Turn one = turns[0], other = turns[1]
    with nogil:
        one.stepper.weights.prepare()
        one.begin()
        other.begin()
        while one.goes_on and other.goes_on:
            one.step()
            other.step()
        while other.goes_on:
            other.step()
        while one.goes_on:
            one.step()
    return 0
