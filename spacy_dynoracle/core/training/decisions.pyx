# cython: boundscheck=False, wraparound=False
"""The decisions of greedy derivations, compared with a gold tree.

What calibration is measured on and temperatures are fitted to: for each decision the
scores of the legal actions, and which of them the dynamic oracle calls correct.

Source: Goldberg 2013, section 4.
"""
from libc.math cimport INFINITY, log
from libcpp.vector cimport vector

import numpy as np

from ..learners.base cimport Alternatives
from ..model.model cimport Model
from ..oracles.base cimport Oracle, check_tree
from ..search.stepper cimport NOTHING
from ..softmax cimport LogSum, add_to, share_of
from ..state.gold cimport Gold, GoldTree
from ..state.sentence cimport Sentence, SentenceC
from ..systems.actions cimport ScoredTransition
from .oracle_stepper cimport OracleStepper, oracle_stepper

from ..oracles.base import DynamicOracle
from ..results import Decisions


cdef class Recorder:
    """Follows a model greedily and writes down every decision.

    Args:
        temperature: Makes probabilities of scores.
        keep_scores: Whether the scores of all legal actions are written down, too.
    """

    cdef Oracle oracle
    cdef OracleStepper stepper
    cdef double per_temperature
    cdef bint keep_scores
    cdef vector[double] probability
    cdef vector[double] probability_over_all
    cdef vector[double] log_likelihood
    cdef vector[char] was_correct
    cdef vector[char] was_forced
    cdef vector[float] kept_scores
    cdef vector[char] kept_flags
    cdef vector[size_t] ends

    def __cinit__(
        self,
        Model model not None,
        double temperature,
        bint keep_scores,
        root_rule: RootRule | None,
    ):
        self.oracle = DynamicOracle()
        self.oracle.prepare(model.system)
        self.stepper = oracle_stepper(
            model.system,
            model.extractor,
            model.actions,
            model.weights,
            self.oracle,
            root_rule,
        )
        self.per_temperature = 1.0 / temperature
        self.keep_scores = keep_scores

    cdef int follow(self, const SentenceC* sentence, const Gold* gold) except -1 nogil:
        """One sentence."""
        cdef ScoredTransition chosen
        self.stepper.begin(sentence, gold)
        while self.stepper.look():
            chosen = self.stepper.best()
            if chosen.action != NOTHING:
                self.stepper.ask(with_legal=True)
                self._write_down(chosen)
            elif self.stepper.row(chosen.row).is_forced:
                self._write_down_forced()
            self.stepper.take(chosen)
        return 0

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

    cdef int _write_down(self, ScoredTransition chosen) except -1 nogil:
        cdef LogSum every = LogSum(largest=-INFINITY, mass=0)
        cdef LogSum legal = LogSum(largest=-INFINITY, mass=0)
        cdef LogSum right = LogSum(largest=-INFINITY, mass=0)
        cdef const Alternatives* row
        cdef double score
        cdef int r, a
        cdef int n_legal = 0
        for r in range(<int>self.stepper.alternatives.size()):
            row = &self.stepper.alternatives[r]
            for a in range(self.stepper.actions.n):
                score = row.scores[a] * self.per_temperature
                add_to(&every, score)
                if not row.legal[a]:
                    continue
                n_legal += 1
                add_to(&legal, score)
                if row.correct[a]:
                    add_to(&right, score)
                if self.keep_scores:
                    self.kept_scores.push_back(row.scores[a])
                    self.kept_flags.push_back(row.correct[a])
        self.ends.push_back(self.kept_scores.size())
        score = chosen.score * self.per_temperature
        self.probability.push_back(share_of(legal, score))
        self.probability_over_all.push_back(share_of(every, score))
        self.log_likelihood.push_back(
            right.largest + log(right.mass) - legal.largest - log(legal.mass)
            if right.mass > 0 else -INFINITY
        )
        self.was_correct.push_back(
            self.stepper.alternatives[chosen.row].correct[chosen.action]
        )
        self.was_forced.push_back(n_legal == 1)
        return 0

    cdef object result(self, bint has_temperature):
        """What was written down, as `Decisions`."""
        probability = np.array(self.probability, dtype=np.float64)
        over_all = np.array(self.probability_over_all, dtype=np.float64)
        log_likelihood = np.array(self.log_likelihood, dtype=np.float64)
        if not has_temperature:
            for array in (probability, over_all, log_likelihood):
                array[:] = np.nan
        scores, sets = self._kept() if self.keep_scores else (None, None)
        return Decisions(
            probability,
            over_all,
            np.array(self.was_correct, dtype=np.int8) != 0,
            log_likelihood,
            np.array(self.was_forced, dtype=np.int8) != 0,
            scores,
            sets,
        )

    cdef tuple _kept(self):
        """The scores of the legal actions of each decision, and which are correct."""
        all_scores = np.array(self.kept_scores, dtype=np.float32)
        all_flags = np.array(self.kept_flags, dtype=np.int8)
        ends = list(self.ends)
        # The last of the parts is what lies behind the last decision: nothing.
        *scores, _ = np.split(all_scores, ends)
        *sets, _ = np.split(all_flags != 0, ends)
        return scores, sets


def decisions(
    Model model not None,
    sentences: Sequence[Sentence],
    golds: Sequence[GoldTree],
    bint keep_scores=False,
    root_rule: RootRule | None = None,
) -> Decisions:
    """Follow greedy derivations and compare every decision with the dynamic oracle.

    Args:
        sentences, golds: `Sentence` objects with their `GoldTree`, whose labels must
            have the numbers they have in the model.
        keep_scores: Also return the scores of all legal actions, for fitting a
            temperature.
        root_rule: As of `Search.parse`.

    Returns:
        `Decisions`.

    Raises:
        ValueError: For a model without a temperature unless keep_scores is set, and for
            trees that do not belong to the sentences.
    """
    if model.temperature is None and not keep_scores:
        raise ValueError(
            f"scores of the learner {model.learner} are no probabilities: fit a "
            f"temperature first"
        )
    cdef Recorder recorder = Recorder(
        model, model.temperature or 1.0, keep_scores, root_rule
    )
    cdef Sentence sentence
    cdef GoldTree gold
    model.weights.prepare()
    labels = list(model.labels)
    for sentence, gold in zip(sentences, golds, strict=True):
        check_pair(model, labels, recorder.oracle, sentence, gold)
        with nogil:
            recorder.follow(&sentence.c, &gold.gold)
    return recorder.result(model.temperature is not None)


cdef int check_pair(
    Model model, list labels, Oracle oracle, Sentence sentence, GoldTree gold
) except -1:
    """Raise ValueError if a sentence, its gold tree and a model with some labels do not
    go together.
    """
    if len(gold) != len(sentence) or sentence.c.n_columns != len(model.columns):
        raise ValueError(
            f"a gold tree of {len(gold)} words and a sentence of {len(sentence)} "
            f"with {sentence.c.n_columns} attributes do not go together here"
        )
    if list(gold.inventory)[: len(labels)] != labels:
        raise ValueError(
            "the labels of a gold tree are not numbered as those of the model"
        )
    check_tree(model.system, oracle, gold)
    return 0
