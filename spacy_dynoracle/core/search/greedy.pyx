# cython: boundscheck=False, wraparound=False
"""Greedy search."""
from ..state.configuration cimport NO_LABEL, RootRule, reserve
from ..model.model cimport Model
from ..state.sentence cimport SentenceC
from .base cimport Search, Workspace
from .easiest_first cimport parse_easiest_first


cdef class GreedySearch(Search):
    """Take the legal action with the highest score until the configuration is terminal.

    Ties go to the lowest action. A transition that is forced and carries no label is
    carried out without asking the model. With an easy-first system the action is one
    for any pair of neighbours (see `search/easiest_first.pyx`).

    Source: Goldberg & Nivre 2013, algorithm 1.
    """

    cdef int parse_sentence(
        self, Model model, const SentenceC* sentence, RootRule root_rule, Workspace work
    ) except -1 nogil:
        cdef unsigned int legal
        cdef int action, n_keys
        if model.system.chooses_pair:
            return parse_easiest_first(model, sentence, root_rule, work)
        reserve(&work.c, sentence.length)
        model.system.start(&work.c, sentence.length, root_rule)
        while not model.system.terminal(&work.c):
            legal = model.system.legal_set(&work.c)
            if model.system.is_forced(legal):
                model.system.transitions[model.system.lowest(legal)].apply(
                    &work.c, NO_LABEL
                )
                continue
            n_keys = model.extractor.extract(&work.c, sentence, work.keys)
            model.weights.score(work.keys, n_keys, work.scores)
            action = model.actions.best_legal(work.scores, legal, &work.c)
            if action == -1:
                # The model has no action for what is legal here.
                model.system.transitions[model.system.lowest(legal)].apply(
                    &work.c, NO_LABEL
                )
            else:
                model.system.transitions[model.actions.transition[action]].apply(
                    &work.c, model.actions.label[action]
                )
        return 0
