# cython: boundscheck=False, wraparound=False
"""Beam search, which finds the best trees of sentences.

Source: Liu, Che, Qin & Liu 2015, algorithm 1.
"""
from libcpp.vector cimport vector

import numpy as np

from ..model.model cimport Model
from ..state.sentence cimport Sentence, SentenceC
from ..systems.actions cimport ScoredTransition
from ..systems.base cimport TransitionSystem
from .base cimport Search, sentences_of
from .beam cimport Beam, check_beam_size
from .derivations cimport BeamState
from .stepper cimport NOTHING
from .trees cimport TreeArrays
from .turns cimport Queue, Turn, take_turns, turns_of

from ..model.model import UNFITTED_TEMPERATURE
from ..results import Candidates
from .beam import MAX_BEAM_SIZE, check_suits_beam


cdef class BeamSearch(Search):
    """Keep the best derivations of each length; take the best one at the end.

    A tie goes to the configuration of the lower rank, then to the lower action.
    Easy-first systems cannot use a beam.

    Source: Liu, Che, Qin & Liu 2015, algorithm 1; Zhang & Clark 2008.

    Args:
        beam_size: Number of derivations to keep; 1 is greedy search.
        n_best: How many of the best trees a parser keeps with each document; 0 for
            none. The score of a derivation is the sum over its transitions. If the
            model has a temperature, it is the logarithm of a probability.
        threshold: A derivation leaves the beam when its probability is less than this
            share of the best one's (0 for never). Of equal transitions only the one
            with the best label stays then, and of derivations with equal features the
            better one. Where one derivation is left, or after a thousand transitions,
            search is greedy. So a parser that was trained for greedy search looks ahead
            where it is not sure.

    Raises:
        ValueError: For an invalid beam size, `n_best` or threshold, and for a threshold
            with `n_best`, which needs all derivations.
    """

    def __cinit__(self, beam_size=64, n_best=0, double threshold=0):
        check_beam_size(beam_size)
        if not 0 <= threshold < 1:
            raise ValueError(f"threshold = {threshold}: expected 0 to below 1")
        if threshold and n_best:
            raise ValueError(
                f"n_best = {n_best} needs all derivations of the beam: "
                f"set threshold = 0"
            )
        self.threshold = threshold
        if not 0 <= n_best <= MAX_BEAM_SIZE:
            raise ValueError(f"n_best = {n_best}: expected 0 to {MAX_BEAM_SIZE}")
        self.beam_size = beam_size
        self.n_best = n_best

    def check_system(self, TransitionSystem system not None) -> None:
        """Raise ValueError if a beam cannot search for derivations of the system."""
        check_suits_beam(system)

    cdef Beam beam(self, Model model, root_rule):
        temperature = model.temperature
        if self.threshold and temperature is None:
            temperature = UNFITTED_TEMPERATURE
        return Beam(model, self.beam_size, temperature, root_rule, self.threshold)

    def parse(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        cdef vector[const SentenceC*] pointers
        cdef const SentenceC* s
        cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
        cdef TreeArrays trees = TreeArrays(n_words, model.root_label_id)
        cdef Beam beam
        cdef Queue queue
        if self.threshold:
            queue = Queue(model, sentences, model.root_label_id)
            take_turns(turns_of(self, Turn, queue, model, root_rule))
            return queue.trees.heads, queue.trees.labels
        beam = self.beam(model, root_rule)
        with nogil:
            model.weights.prepare()
            for s in pointers:
                search(beam, s)
                trees.add(&beam.states[0].c)
        return trees.heads, trees.labels

    def candidates(
        self,
        Model model not None,
        list sentences not None: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]:
        """The distinct trees in the last beam of each sentence, as `Search.candidates`
        says.
        """
        cdef vector[const SentenceC*] pointers
        cdef Py_ssize_t i
        cdef Beam beam = self.beam(model, root_rule)
        sentences_of(model, sentences, &pointers)
        model.weights.prepare()
        found = []
        for i in range(<Py_ssize_t>pointers.size()):
            with nogil:
                search(beam, pointers[i])
            found.append(distinct_trees(beam, pointers[i].length, model.root_label_id))
        return found

    def derivation(
        self,
        Model model not None,
        Sentence sentence not None,
        root_rule: RootRule | None = None,
    ) -> list[tuple[str, str | None]] | None:
        cdef Queue queue = Queue(model, [sentence], model.root_label_id)
        cdef FollowedTurn turn
        turn, _ = turns_of(self, FollowedTurn, queue, model, root_rule)
        names = model.system.transition_names
        model.weights.prepare()
        turn.begin()
        while turn.goes_on:
            turn.step()
        return [
            (
                names[step.transition],
                None if step.action == NOTHING else model.actions.keys[step.action][1],
            )
            for step in turn.taken
        ]

    def with_n_best(self, int n_best) -> BeamSearch:
        return type(self)(self.beam_size, n_best, 0 if n_best else self.threshold)

    def __reduce__(self):
        return type(self), (self.beam_size, self.n_best, self.threshold)

    def __repr__(self):
        more = f", n_best={self.n_best}" if self.n_best else ""
        if self.threshold:
            more += f", threshold={self.threshold}"
        return f"{type(self).__name__}(beam_size={self.beam_size}{more})"


cdef class FollowedTurn(Turn):
    """Keeps what it takes."""

    cdef vector[ScoredTransition] taken

    cdef int accept(self, ScoredTransition chosen) except -1 nogil:
        self.taken.push_back(chosen)
        return Turn.accept(self, chosen)


cdef int search(Beam beam, const SentenceC* sentence) except -1 nogil:
    """Fill a beam with the best derivations of a sentence."""
    beam.start(sentence)
    while beam.advance(sentence):
        pass
    return 0


cdef object distinct_trees(Beam beam, int length, int root_label):
    """The distinct trees of a finished beam.

    A tree with several derivations has the rank of the best one.
    """
    cdef BeamState* state
    cdef TreeArrays trees = TreeArrays(beam.states.size() * length, root_label)
    scores = np.array([state.score for state in beam.states])
    for state in beam.states:
        trees.add(&state.c)
    shape = len(scores), length
    heads, labels = trees.heads.reshape(shape), trees.labels.reshape(shape)
    ranks = {}
    for rank in range(len(scores)):
        tree = heads[rank].tobytes() + labels[rank].tobytes()
        ranks.setdefault(tree, []).append(rank)
    kept = [same[0] for same in ranks.values()]
    log_sums = [np.logaddexp.reduce(scores[same]) for same in ranks.values()]
    return Candidates(heads[kept], labels[kept], scores[kept], np.array(log_sums))
