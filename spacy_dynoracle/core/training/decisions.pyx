# cython: boundscheck=False, wraparound=False
"""The decisions of greedy derivations, compared with a gold tree.

What calibration is measured on and temperatures are fitted to: for each decision the
scores of the legal actions, and which of them the dynamic oracle calls correct.

Source: Goldberg 2013, section 4.
"""
from libc.math cimport INFINITY, log
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

import numpy as np

from ..systems.actions cimport Actions, check_actions
from ..state.configuration cimport NO_LABEL, ConfigurationC, RootRule, release, reserve
from ..features.extractor cimport MAX_TEMPLATES
from ..state.gold cimport Gold, GoldTree
from ..model.model cimport Model
from ..oracles.base cimport Oracle, check_tree
from ..state.sentence cimport Sentence
from ..softmax cimport LogSum, add_to, share_of
from ..systems.base cimport Costs, TransitionSystem
from ..systems.easy_first cimport focus, n_pairs

from ..oracles.dynamic import DynamicOracle
from ..results import Decisions

cdef enum:
    NOTHING = -1


cdef class Recorder:
    """Follows a model greedily and writes down every decision."""

    cdef Model model
    cdef TransitionSystem system
    cdef RootRule root_rule
    cdef Actions actions
    cdef Oracle oracle
    cdef Costs costs
    cdef ConfigurationC c
    cdef double per_temperature
    cdef bint keep_scores
    cdef uint64_t[MAX_TEMPLATES] keys
    cdef vector[float] row
    cdef vector[char] legal
    cdef vector[char] correct
    # Of the present configuration: the legal actions with pair, score and correctness.
    cdef vector[int] pairs
    cdef vector[int] numbers
    cdef vector[float] scores
    cdef vector[char] flags
    cdef LogSum every
    # What has been written down.
    cdef vector[double] probability
    cdef vector[double] probability_over_all
    cdef vector[double] log_likelihood
    cdef vector[char] was_correct
    cdef vector[char] was_forced
    cdef vector[float] kept_scores
    cdef vector[char] kept_flags
    cdef vector[size_t] ends

    def __cinit__(self, Model model not None, bint keep_scores, root_rule):
        check_actions(model.system, model.actions, model.weights)
        self.model = model
        self.system = model.system
        self.root_rule = model.system.chosen_rule(root_rule)
        self.actions = model.actions
        self.oracle = DynamicOracle()
        self.oracle.prepare(model.system)
        self.costs = model.system.new_costs()
        self.c.block = NULL
        self.c.capacity = 0
        self.per_temperature = 1.0 / (model.temperature or 1.0)
        self.keep_scores = keep_scores
        self.row.resize(model.weights.n_scores() + 1)
        self.legal.resize(model.actions.n + 1)
        self.correct.resize(model.actions.n + 1)

    def __dealloc__(self):
        release(&self.c)

    cdef int follow(self, Sentence sentence, GoldTree gold) except -1:
        """One sentence."""
        cdef ConfigurationC* c = &self.c
        cdef unsigned int legal
        cdef int chosen
        reserve(c, sentence.c.length)
        self.system.start(c, sentence.c.length, self.root_rule)
        self.costs.start()
        with nogil:
            while not self.system.terminal(c):
                legal = self.system.legal_set(c)
                if not self.system.chooses_pair and self.system.is_forced(legal):
                    self._write_down_forced()
                    self.system.transitions[self.system.lowest(legal)].apply(
                        c, NO_LABEL
                    )
                    continue
                self._look(sentence, &gold.gold)
                chosen = self._best()
                if chosen == NOTHING:
                    # The model has no action for what is legal here.
                    self.system.transitions[
                        self.system.lowest(self._any_legal())
                    ].apply(c, NO_LABEL)
                    continue
                self._write_down(chosen)
                if self.pairs[chosen]:
                    focus(c, self.pairs[chosen])
                self.system.transitions[
                    self.actions.transition[self.numbers[chosen]]
                ].apply(c, self.actions.label[self.numbers[chosen]])
        return 0

    cdef unsigned int _any_legal(self) noexcept nogil:
        """The legal transitions, in easy-first of the first pair that has some."""
        cdef int i
        cdef unsigned int legal = 0
        if not self.system.chooses_pair:
            return self.system.legal_set(&self.c)
        for i in range(1, n_pairs(&self.c) + 1):
            focus(&self.c, i)
            legal = self.system.legal_set(&self.c)
            if legal:
                break
        return legal

    cdef int _look(self, Sentence sentence, const Gold* gold) except -1 nogil:
        """Fill in the legal actions of the present configuration."""
        cdef int i
        cdef int least = NOTHING
        self.pairs.clear()
        self.numbers.clear()
        self.scores.clear()
        self.flags.clear()
        self.every = LogSum(largest=-INFINITY, mass=0)
        if not self.system.chooses_pair:
            self._look_at_row(sentence, gold, 0, least)
            return 0
        for i in range(1, n_pairs(&self.c) + 1):
            focus(&self.c, i)
            least = self._look_at_row(sentence, gold, i, least)
        return 0

    cdef int _look_at_row(
        self, Sentence sentence, const Gold* gold, int pair, int least
    ) except? -2 nogil:
        """Add the legal actions of one row. least: the least cost of the rows so far;
        returns the same with this row."""
        cdef ConfigurationC* c = &self.c
        cdef unsigned int legal = self.system.legal_set(c)
        cdef unsigned int cheapest
        cdef int n_keys, a, cost
        cdef size_t i
        n_keys = self.model.extractor.extract(c, &sentence.c, self.keys)
        self.model.weights.score(self.keys, n_keys, self.row.data())
        for a in range(self.actions.n):
            add_to(&self.every, self.row[a] * self.per_temperature)
        if legal == 0:
            return least
        cheapest = self.oracle.correct_set(self.costs, c, gold, legal)
        cost = self.costs.cost(self.system.lowest(cheapest), c, gold)
        if least != NOTHING and cost < least:
            # What seemed correct in other rows is not.
            for i in range(self.flags.size()):
                self.flags[i] = 0
        if least == NOTHING or cost < least:
            least = cost
        self.actions.mark_correct(
            self.correct.data(), cheapest if cost == least else 0, c, gold
        )
        self.actions.mark_legal(self.legal.data(), legal, c)
        for a in range(self.actions.n):
            if self.legal[a]:
                self.pairs.push_back(pair)
                self.numbers.push_back(a)
                self.scores.push_back(self.row[a])
                self.flags.push_back(self.correct[a])
        return least

    cdef int _best(self) noexcept nogil:
        """The legal action with the highest score, the first of equals."""
        cdef int best = NOTHING
        cdef int i
        for i in range(<int>self.scores.size()):
            if best == NOTHING or self.scores[i] > self.scores[best]:
                best = i
        return best

    cdef int _write_down_forced(self) except -1 nogil:
        """A decision that is none: one transition, which is not scored."""
        if self.keep_scores:
            self.kept_scores.push_back(0)
            self.kept_flags.push_back(1)
        self.ends.push_back(self.kept_scores.size())
        self.probability.push_back(1)
        self.probability_over_all.push_back(1)
        self.log_likelihood.push_back(0)
        self.was_correct.push_back(1)
        self.was_forced.push_back(1)
        return 0

    cdef int _write_down(self, int chosen) except -1 nogil:
        cdef LogSum legal = LogSum(largest=-INFINITY, mass=0)
        cdef LogSum right = LogSum(largest=-INFINITY, mass=0)
        cdef double score
        cdef size_t i
        for i in range(self.scores.size()):
            score = self.scores[i] * self.per_temperature
            add_to(&legal, score)
            if self.flags[i]:
                add_to(&right, score)
            if self.keep_scores:
                self.kept_scores.push_back(self.scores[i])
                self.kept_flags.push_back(self.flags[i])
        self.ends.push_back(self.kept_scores.size())
        score = self.scores[chosen] * self.per_temperature
        self.probability.push_back(share_of(legal, score))
        self.probability_over_all.push_back(share_of(self.every, score))
        self.log_likelihood.push_back(
            right.largest + log(right.mass) - legal.largest - log(legal.mass)
            if right.mass > 0 else -INFINITY
        )
        self.was_correct.push_back(self.flags[chosen])
        self.was_forced.push_back(self.scores.size() == 1)
        return 0


def decisions(
    Model model not None, sentences, golds, bint keep_scores=False, root_rule=None
):
    """Follow greedy derivations and compare every decision with the dynamic oracle.

    sentences, golds: `Sentence` objects with their `GoldTree`, whose labels must have
    the numbers they have in the model. keep_scores: also return the scores of all legal
    actions, for fitting a temperature. root_rule: as of `Search.parse`.

    Returns `Decisions`. Raises ValueError for a model without a temperature unless
    keep_scores is set, and for trees that do not belong to the sentences.
    """
    if model.temperature is None and not keep_scores:
        raise ValueError(
            f"scores of the learner {model.learner} are no probabilities: fit a "
            f"temperature first"
        )
    cdef Recorder recorder = Recorder(model, keep_scores, root_rule)
    cdef float[::1] scores_view
    cdef signed char[::1] flags_view
    cdef Py_ssize_t i
    cdef Sentence sentence
    cdef GoldTree gold
    model.weights.prepare()
    n_columns = len(model.columns)
    labels = list(model.labels)
    for sentence, gold in zip(sentences, golds, strict=True):
        if len(gold) != len(sentence) or sentence.c.n_columns != n_columns:
            raise ValueError(
                f"a gold tree of {len(gold)} words and a sentence of {len(sentence)} "
                f"with {sentence.c.n_columns} attributes do not go together here"
            )
        if list(gold.inventory)[: len(labels)] != labels:
            raise ValueError(
                "the labels of a gold tree are not numbered as those of the model"
            )
        check_tree(model.system, recorder.oracle, gold)
        recorder.follow(sentence, gold)
    scores = sets = None
    if keep_scores:
        # The last of the parts is what lies behind the last decision: nothing.
        ends = list(recorder.ends)
        all_scores = np.zeros(recorder.kept_scores.size(), dtype=np.float32)
        all_flags = np.zeros(recorder.kept_flags.size(), dtype=np.int8)
        scores_view, flags_view = all_scores, all_flags
        for i in range(<Py_ssize_t>recorder.kept_scores.size()):
            scores_view[i] = recorder.kept_scores[i]
            flags_view[i] = recorder.kept_flags[i]
        all_flags = all_flags != 0
        *scores, _ = np.split(all_scores, ends)
        *sets, _ = np.split(all_flags, ends)
    probability = np.array(recorder.probability, dtype=np.float64)
    over_all = np.array(recorder.probability_over_all, dtype=np.float64)
    log_likelihood = np.array(recorder.log_likelihood, dtype=np.float64)
    if model.temperature is None:
        for array in (probability, over_all, log_likelihood):
            array[:] = np.nan
    return Decisions(
        probability,
        over_all,
        np.array(recorder.was_correct, dtype=np.int8) != 0,
        log_likelihood,
        np.array(recorder.was_forced, dtype=np.int8) != 0,
        scores,
        sets,
    )
