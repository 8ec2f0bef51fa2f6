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
from ..search.stepper cimport NOTHING
from ..softmax cimport LogSum, add_to, share_of
from ..state.gold cimport Gold, GoldTree
from ..state.sentence cimport Sentence, SentenceC
from ..systems.actions cimport ScoredTransition
from .oracle_stepper cimport OracleStepper, check_example

from ..oracles.base import DynamicOracle
from ..results import Decisions


cdef class Recorder:
    """Follows a model greedily and writes down every decision.

    Args:
        temperature: Makes probabilities of scores.
        keep_scores: Whether the scores of all legal actions are written down, too.
    """

    cdef OracleStepper stepper
    cdef double per_temperature
    cdef bint keep_scores
    # For each decision four numbers, in the order of the members of `Decisions`.
    cdef vector[double] numbers
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
        self.stepper = OracleStepper(model, root_rule)
        self.stepper.oracle = DynamicOracle()
        self.stepper.oracle.prepare(model.system)
        self.per_temperature = 1.0 / temperature
        self.keep_scores = keep_scores

    cdef int follow(self, const SentenceC* sentence, const Gold* gold) except -1 nogil:
        """One sentence."""
        cdef ScoredTransition chosen
        self.stepper.begin(sentence, gold)
        while self.stepper.look():
            chosen = self.stepper.best()
            if chosen.action != NOTHING:
                self.stepper.ask()
                self._write_down(chosen)
            elif self.stepper.row(chosen.row).is_forced:
                # A decision that is none, and is not scored.
                if self.keep_scores:
                    self._keep(0, True)
                self._append(1, True, 0, True)
            self.stepper.take(chosen)
        return 0

    cdef int _keep(self, float score, bint is_correct) except -1 nogil:
        """Write down the score of a legal action."""
        self.kept_scores.push_back(score)
        self.kept_flags.push_back(is_correct)
        return 0

    cdef int _append(
        self,
        double probability,
        bint is_correct,
        double log_likelihood,
        bint is_forced,
    ) except -1 nogil:
        """Write down a decision."""
        self.ends.push_back(self.kept_scores.size())
        self.numbers.push_back(probability)
        self.numbers.push_back(is_correct)
        self.numbers.push_back(log_likelihood)
        self.numbers.push_back(is_forced)
        return 0

    cdef int _write_down(self, ScoredTransition chosen) except -1 nogil:
        cdef LogSum legal = LogSum(largest=-INFINITY, mass=0)
        cdef LogSum right = LogSum(largest=-INFINITY, mass=0)
        cdef const Alternatives* row
        cdef double score
        cdef int r, a
        cdef int n_legal = 0
        for r in range(<int>self.stepper.alternatives.size()):
            row = &self.stepper.alternatives[r]
            for a in range(self.stepper.actions.n):
                if not row.legal[a]:
                    continue
                score = row.scores[a] * self.per_temperature
                n_legal += 1
                add_to(&legal, score)
                if row.correct[a]:
                    add_to(&right, score)
                if self.keep_scores:
                    self._keep(row.scores[a], row.correct[a])
        score = chosen.score * self.per_temperature
        return self._append(
            share_of(legal, score),
            self.stepper.alternatives[chosen.row].correct[chosen.action],
            right.largest + log(right.mass) - legal.largest - log(legal.mass)
            if right.mass > 0 else -INFINITY,
            n_legal == 1,
        )

    cdef object result(self, bint has_temperature):
        """The recorded decisions."""
        numbers = np.array(self.numbers, dtype=np.float64).reshape(-1, 4).T.copy()
        if not has_temperature:
            numbers[[0, 2]] = np.nan
        probability, correct, log_likelihood, forced = numbers
        scores, sets = self._kept() if self.keep_scores else (None, None)
        return Decisions(
            probability,
            correct != 0,
            log_likelihood,
            forced != 0,
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
        check_example(
            model.system, recorder.stepper.oracle, len(model.columns), sentence, gold
        )
        if list(gold.inventory)[: len(labels)] != labels:
            raise ValueError(
                "the labels of a gold tree are not numbered as those of the model"
            )
        with nogil:
            recorder.follow(&sentence.c, &gold.gold)
    return recorder.result(model.temperature is not None)
