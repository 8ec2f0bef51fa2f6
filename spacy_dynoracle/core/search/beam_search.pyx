# cython: boundscheck=False, wraparound=False
"""Search with a beam: from sentences to the best trees.

Source: Liu, Che, Qin & Liu 2015, algorithm 1.
"""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from ..configuration cimport ConfigurationC
from ..model cimport Model
from ..sentence cimport SentenceC
from ..systems.base cimport TransitionSystem, attach_to_root
from .base cimport Search, sentences_of
from .beam cimport Beam, BeamState, check_beam_size

from ..results import Candidates
from .beam import check_left_to_right


cdef class BeamSearch(Search):
    """Keep the best derivations of each length; take the best one at the end.

    beam_size: how many are kept. With 1 it is greedy search. Scores are sums over the
    transitions; of a model with a temperature, logarithms of probabilities.

    Ties go to the configuration of the lower rank, then to the lower action. Systems
    that choose pairs of neighbours have no beam.

    Source: Liu, Che, Qin & Liu 2015, algorithm 1; Zhang & Clark 2008.

    Raises ValueError for an impossible beam size.
    """

    def __cinit__(self, beam_size=64):
        check_beam_size(beam_size)
        self.beam_size = beam_size

    def check_system(self, TransitionSystem system not None):
        """Raise ValueError for a system that chooses pairs of neighbours."""
        check_left_to_right(system)

    def parse(self, Model model not None, list sentences not None):
        cdef vector[const SentenceC*] pointers
        cdef const SentenceC* s
        cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
        cdef Py_ssize_t at = 0
        cdef Beam beam = self._beam(model)
        heads = np.empty(n_words, dtype=np.int32)
        labels = np.empty(n_words, dtype=np.int32)
        cdef int32_t[::1] heads_view = heads
        cdef int32_t[::1] labels_view = labels
        with nogil:
            model.weights.prepare()
            for s in pointers:
                search(beam, s, model.root_label_id)
                write_tree(
                    &beam.states[0].c,
                    &heads_view[at] if s.length else NULL,
                    &labels_view[at] if s.length else NULL,
                )
                at += s.length
        return heads, labels

    def candidates(self, Model model not None, list sentences not None):
        """The distinct trees in the last beam of each sentence, best first.

        Returns a list of `Candidates`. Raises ValueError for a sentence with other
        columns than those of the model's templates.
        """
        cdef vector[const SentenceC*] pointers
        cdef Py_ssize_t i
        cdef Beam beam = self._beam(model)
        sentences_of(model, sentences, &pointers)
        model.weights.prepare()
        found = []
        for i in range(<Py_ssize_t>pointers.size()):
            with nogil:
                search(beam, pointers[i], model.root_label_id)
            found.append(distinct_trees(beam, pointers[i].length))
        return found

    def _beam(self, Model model):
        return Beam(
            model.system,
            model.extractor,
            model.actions,
            model.weights,
            self.beam_size,
            model.temperature,
        )

    def __reduce__(self):
        return type(self), (self.beam_size,)

    def __repr__(self):
        return f"{type(self).__name__}(beam_size={self.beam_size})"


cdef int search(Beam beam, const SentenceC* sentence, int root_label) except -1 nogil:
    """Fill a beam with the best derivations of a sentence, words without a head
    attached to ROOT."""
    cdef BeamState* state
    beam.start(sentence)
    while beam.advance(sentence):
        pass
    for state in beam.states:
        attach_to_root(&state.c, root_label)
    return 0


cdef void write_tree(
    const ConfigurationC* c, int32_t* heads, int32_t* labels
) noexcept nogil:
    """Copy heads and labels of all words."""
    cdef int k
    for k in range(c.length):
        heads[k] = c.nodes[k + 1].head
        labels[k] = c.nodes[k + 1].label


cdef object distinct_trees(Beam beam, int length):
    """The trees of a finished beam, those of several derivations once."""
    cdef int n = <int>beam.states.size()
    cdef int i
    heads = np.empty((n, length), dtype=np.int32)
    labels = np.empty((n, length), dtype=np.int32)
    cdef int32_t[:, ::1] heads_view = heads
    cdef int32_t[:, ::1] labels_view = labels
    scores = np.empty(n)
    for i in range(n):
        scores[i] = beam.states[i].score
        if length:
            write_tree(&beam.states[i].c, &heads_view[i, 0], &labels_view[i, 0])
    trees = np.hstack([heads, labels])
    _, first, which = np.unique(trees, axis=0, return_index=True, return_inverse=True)
    sums = np.full(len(first), -np.inf)
    np.logaddexp.at(sums, which.ravel(), scores)
    # The first of equal trees is the best one, because the beam is sorted.
    order = np.argsort(first)
    kept = first[order]
    return Candidates(heads[kept], labels[kept], scores[kept], sums[order])
