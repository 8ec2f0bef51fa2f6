# cython: boundscheck=False, wraparound=False
"""Greedy search for easy-first systems: the best action of all pairs of neighbours.

The best action of each pair is kept, and only the pairs whose features an arc can have
changed are scored again, so a sentence costs O(n) feature extractions. Finding the best
pair is a linear scan, which costs next to nothing beside them (Goldberg & Elhadad 2010,
section 6).
"""
from ..state.configuration cimport NO_LABEL, ConfigurationC, RootRule, reserve
from ..model.model cimport Model
from ..state.sentence cimport SentenceC
from ..systems.easy_first cimport first_touched, focus, last_touched, left_node, n_pairs
from .base cimport Choice, Workspace

cdef enum:
    NOTHING = -1


cdef int parse_easiest_first(
    Model model, const SentenceC* sentence, RootRule root_rule, Workspace work
) except -1 nogil:
    """Leave a terminal configuration in `work.c`."""
    cdef ConfigurationC* c = &work.c
    cdef Choice choice
    reserve(c, sentence.length)
    work.choices.resize(sentence.length + 1)
    model.system.start(c, sentence.length, root_rule)
    score_pairs(model, sentence, work, 1, n_pairs(c))
    while not model.system.terminal(c):
        focus(c, easiest_pair(c, &work.choices[0]))
        choice = work.choices[c.stack[c.stack_size - 1]]
        model.system.transitions[choice.transition].apply(
            c,
            NO_LABEL if choice.action == NOTHING
            else model.actions.label[choice.action],
        )
        score_pairs(model, sentence, work, first_touched(c), last_touched(c))
    return 0


cdef int easiest_pair(const ConfigurationC* c, const Choice* choices) noexcept nogil:
    """The number of the pair with the best legal action; the first one of equals.

    choices: of each pair, by its left node.
    """
    cdef int i, k
    cdef int best = NOTHING
    cdef float best_score = 0
    for i in range(1, n_pairs(c) + 1):
        k = left_node(c, i)
        if choices[k].transition == NOTHING:
            continue
        if best == NOTHING or choices[k].score > best_score:
            best = i
            best_score = choices[k].score
    return best


cdef int score_pairs(
    Model model, const SentenceC* sentence, Workspace work, int first, int last
) noexcept nogil:
    """Find the best action of the pairs first..last anew."""
    cdef ConfigurationC* c = &work.c
    cdef Choice choice
    cdef unsigned int legal
    cdef int i, n_keys
    for i in range(first, last + 1):
        focus(c, i)
        choice.action = choice.transition = NOTHING
        choice.score = 0
        legal = model.system.legal_set(c)
        if legal:
            n_keys = model.extractor.extract(c, sentence, work.keys)
            model.weights.score(work.keys, n_keys, work.scores)
            choice.action = model.actions.best_legal(work.scores, legal, c)
            if choice.action == NOTHING:
                # Less attractive than anything the model has an action for.
                choice.score = -1e30
                choice.transition = model.system.lowest(legal)
            else:
                choice.score = work.scores[choice.action]
                choice.transition = model.actions.transition[choice.action]
        work.choices[c.stack[c.stack_size - 1]] = choice
    return 0
