# cython: boundscheck=False, wraparound=False
"""Greedy search for the trees that contain given arcs.

The arcs are a partial tree. A transition is taken only if all of them can still be in
the tree afterwards, which is what the costs of a dynamic oracle tell: those that cost
nothing with respect to the partial tree keep every arc of it reachable, and there is
always one of them. Among them the best scored action wins. So the arcs are there in
the end, and what is chosen besides them is chosen in their presence.

Source: the costs are those of Goldberg & Nivre 2013, section 4.5, and of Goldberg,
Sartorio & Satta 2014; see `TransitionSystem.new_keeping_costs`.
"""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

import numpy as np

from ..systems.actions cimport Actions, check_actions
from ..state.configuration cimport (
    NO_LABEL,
    ROOT,
    ConfigurationC,
    RootRule,
    S,
    reserve,
)
from ..state.gold cimport UNKNOWN, Gold, GoldTree
from ..model.model cimport Model
from ..oracles.base cimport cheapest
from ..state.sentence cimport SentenceC
from ..systems.base cimport (
    MAX_TRANSITIONS,
    Costs,
    TransitionSystem,
    attach_to_root,
)
from ..systems.easy_first cimport first_touched, focus, last_touched, n_pairs
from .base cimport Choice, Workspace, sentences_of

cdef enum:
    NOTHING = -1


cdef class ConstrainedParser:
    """Parses one sentence after the other; each thread has its own.

    In easy-first systems the best action of each pair of neighbours is kept for each
    transition, because which transitions are allowed changes while scores do not.
    """

    cdef Model model
    cdef TransitionSystem system
    cdef Actions actions
    cdef Costs costs
    cdef Workspace work
    cdef RootRule root_rule
    cdef vector[char] allowed
    # By left node of the pair and transition.
    cdef vector[Choice] choices

    def __cinit__(self, Model model not None, RootRule root_rule):
        check_actions(model.system, model.actions, model.weights)
        self.model = model
        self.system = model.system
        self.root_rule = model.system.keeping_rule(root_rule)
        self.actions = model.actions
        self.costs = self.system.new_keeping_costs()
        self.work = Workspace()
        self.work.fit(model.weights.n_scores())
        self.allowed.resize(model.actions.n + 1)

    cdef int parse(self, const SentenceC* sentence, const Gold* arcs) except -1 nogil:
        """Leave a terminal configuration in `work.c`."""
        reserve(&self.work.c, sentence.length)
        self.system.start(&self.work.c, sentence.length, self.root_rule)
        self.costs.start()
        if self.system.chooses_pair:
            return self._choose_pairs(sentence, arcs)
        return self._choose_transitions(sentence, arcs)

    # ---- systems that go from left to right -------------------------------------

    cdef int _choose_transitions(
        self, const SentenceC* sentence, const Gold* arcs
    ) except -1 nogil:
        cdef ConfigurationC* c = &self.work.c
        cdef unsigned int keeping
        cdef int action
        while not self.system.terminal(c):
            keeping = cheapest(self.costs, c, arcs, self.system.legal_set(c))
            if self.system.is_forced(keeping):
                self._apply(NOTHING, self.system.lowest(keeping))
                continue
            self._score(sentence)
            self.actions.mark_correct(self.allowed.data(), keeping, c, arcs)
            action = self.actions.best_correct(self.work.scores, self.allowed.data())
            self._apply(
                action,
                self.system.lowest(keeping) if action == NOTHING
                else self.actions.transition[action],
            )
        return 0

    cdef void _score(self, const SentenceC* sentence) noexcept nogil:
        cdef int n_keys = self.model.extractor.extract(
            &self.work.c, sentence, self.work.keys
        )
        self.model.weights.score(self.work.keys, n_keys, self.work.scores)

    cdef void _apply(self, int action, int transition) noexcept nogil:
        """Carry out an action, or a transition for which the model has none."""
        self.system.transitions[transition].apply(
            &self.work.c,
            NO_LABEL if action == NOTHING else self.actions.label[action],
        )

    # ---- systems that choose a pair of neighbours -------------------------------

    cdef int _choose_pairs(
        self, const SentenceC* sentence, const Gold* arcs
    ) except -1 nogil:
        cdef ConfigurationC* c = &self.work.c
        cdef Choice choice
        self.choices.resize((sentence.length + 1) * MAX_TRANSITIONS)
        self._score_pairs(sentence, arcs, 1, n_pairs(c))
        while not self.system.terminal(c):
            self._find_easiest(arcs, &choice)
            self._apply(choice.action, choice.transition)
            self._score_pairs(sentence, arcs, first_touched(c), last_touched(c))
        return 0

    cdef int _score_pairs(
        self, const SentenceC* sentence, const Gold* arcs, int first, int last
    ) except -1 nogil:
        """Find the best actions of the pairs first..last anew."""
        cdef ConfigurationC* c = &self.work.c
        cdef Choice choice
        cdef int i, t
        for i in range(first, last + 1):
            focus(c, i)
            self._score(sentence)
            for t in range(self.system.n_transitions):
                self.actions.mark_correct(self.allowed.data(), 1u << t, c, arcs)
                choice.transition = t
                choice.action = self.actions.best_correct(
                    self.work.scores, self.allowed.data()
                )
                # Less attractive than anything the model has an action for.
                choice.score = -1e30
                if choice.action != NOTHING:
                    choice.score = self.work.scores[choice.action]
                self.choices[S(c, 0) * MAX_TRANSITIONS + t] = choice
        return 0

    cdef int _find_easiest(self, const Gold* arcs, Choice* best) except -1 nogil:
        """Find the best action that keeps the arcs, and put its pair into focus; of
        equals the first one of the first pair."""
        cdef ConfigurationC* c = &self.work.c
        cdef Choice choice
        cdef unsigned int legal
        cdef int i, t
        cdef int pair = NOTHING
        best.transition = best.action = NOTHING
        best.score = 0
        for i in range(1, n_pairs(c) + 1):
            focus(c, i)
            legal = self.system.legal_set(c)
            for t in range(self.system.n_transitions):
                choice = self.choices[S(c, 0) * MAX_TRANSITIONS + t]
                if not legal >> t & 1 or self.costs.cost(t, c, arcs):
                    continue
                if (
                    pair == NOTHING
                    or choice.score > best.score
                    or (
                        pair == i
                        and choice.score == best.score
                        and choice.action < best.action
                    )
                ):
                    best[0] = choice
                    pair = i
        focus(c, pair)
        return 0


cdef int check_arcs(RootRule root_rule, GoldTree arcs, int length) except -1:
    """Raise ValueError for arcs that cannot all be in one tree."""
    if len(arcs) != length:
        raise ValueError(
            f"the arcs belong to a sentence of {len(arcs)} words, not {length}"
        )
    if not arcs.projective:
        raise ValueError(
            f"no projective tree has all of these arcs: {arcs!r}; leave out those that "
            f"cross others"
        )
    if root_rule != RootRule.ANY and arcs.heads.count(ROOT) > 1:
        raise ValueError(
            f"a sentence is to have one root, but these arcs are of several: {arcs!r}"
        )
    return 0


def parse_with_arcs(
    Model model not None,
    list sentences not None,
    list arcs not None,
    root_rule=None,
):
    """Parse sentences greedily, keeping arcs that are given; the GIL is released.

    sentences: `Sentence` objects whose columns are those of the model's templates.
    arcs: for each of them a `GoldTree`, whose inventory is `model.labels`, with the
        arcs that the tree must have, the other heads unknown; an arc with an unknown
        label gets the label that scores best. The arcs must be projective, whatever the
        system. root_rule: as of `Search.parse`.

    Returns heads and labels as `Search.parse` does. Every given head and label is in
    them. Without given arcs they are what `GreedySearch` finds.

    Raises ValueError for arcs that cannot all be in one tree, and for sentences with
    other columns.
    """
    cdef RootRule rule = model.system.chosen_rule(root_rule)
    cdef ConstrainedParser parser = ConstrainedParser(model, rule)
    cdef vector[const SentenceC*] pointers
    cdef vector[const Gold*] golds
    cdef GoldTree tree
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t i
    cdef Py_ssize_t at = 0
    if len(arcs) != len(sentences):
        raise ValueError(f"{len(sentences)} sentences, but arcs for {len(arcs)}")
    for i in range(len(arcs)):
        tree = arcs[i]
        if tree is None or tree.inventory is not model.labels:
            raise ValueError("expected GoldTree objects with the labels of the model")
        check_arcs(rule, tree, pointers[i].length)
        golds.push_back(&tree.gold)
    heads = np.empty(n_words, dtype=np.int32)
    labels = np.empty(n_words, dtype=np.int32)
    cdef int32_t[::1] heads_view = heads
    cdef int32_t[::1] labels_view = labels
    with nogil:
        model.weights.prepare()
        for i in range(<Py_ssize_t>pointers.size()):
            parser.parse(pointers[i], golds[i])
            attach_to_root(&parser.work.c, model.root_label_id)
            write(&parser.work.c, golds[i], heads_view, labels_view, at)
            at += pointers[i].length
    return heads, labels


cdef void write(
    const ConfigurationC* c,
    const Gold* arcs,
    int32_t[::1] heads,
    int32_t[::1] labels,
    Py_ssize_t at,
) noexcept nogil:
    """Copy the arcs of a tree to the places from `at` on. A given label also stands
    where no action of the model has it."""
    cdef int k
    for k in range(1, c.length + 1):
        heads[at + k - 1] = c.nodes[k].head
        labels[at + k - 1] = c.nodes[k].label
        if arcs.head[k] != UNKNOWN and arcs.label[k] != UNKNOWN:
            labels[at + k - 1] = arcs.label[k]
