# cython: boundscheck=False, wraparound=False
"""Global training: whole derivations compete in a beam (Liu, Che, Qin & Liu 2015,
algorithms 2 and 3).

A configuration of the beam is gold if all transitions of its derivation are correct.
With a static oracle and known labels, at most one is gold. Otherwise several can be
gold, and the best-scoring one is the gold derivation: it is latent.
"""
from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.string cimport memchr
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from ..learners.structured_perceptron cimport StructuredPerceptron
from ..model.model cimport Classifier
from ..search.beam cimport Beam, is_better
from ..search.derivations cimport BeamState, Step
from ..search.stepper cimport NOTHING
from ..state.configuration cimport ConfigurationC, copy_configuration
from ..state.gold cimport Gold
from ..state.sentence cimport SentenceC
from ..systems.actions cimport ScoredTransition
from .trainer cimport Trainer


# One part of an update: the change of one weight.
cdef struct Change:
    uint64_t key
    int action
    float delta


cdef bint is_before(const Change& a, const Change& b) noexcept nogil:
    return a.key < b.key if a.key != b.key else a.action < b.action


cdef class BeamTrainer(Trainer):
    """Training state of a beam with a learner that learns from whole derivations.

    Source: Liu, Che, Qin & Liu 2015, algorithms 2 and 3.

    Attributes:
        n_decisions: Number of sentences.
        n_errors: Number of sentences with an update.
    """

    cdef readonly int beam_size
    cdef StructuredPerceptron perceptron
    cdef Beam beam
    # For each configuration of the beam whether it is gold and, if so, which of its
    # actions are correct.
    cdef vector[char] gold
    cdef vector[char] gold_after
    cdef vector[char] correct_actions
    # The last step and the score of the gold derivation after it has fallen out of the
    # beam. The stepper has its configuration, and its correct actions are the first.
    cdef int gold_last
    cdef double gold_score
    # The last steps of the derivations to learn from, and the lead of the wrong one;
    # -INFINITY if there are none.
    cdef int target
    cdef int predicted
    cdef double violation
    cdef vector[Step] right_steps
    cdef vector[Step] wrong_steps
    cdef vector[Change] changes

    learns_derivations = True

    def __cinit__(self, *_, int beam_size=1, **__):
        model = Classifier(self.system, self.extractor, self.actions, self.learner)
        self.beam_size = beam_size
        self.perceptron = self.learner
        self.beam = Beam(model, beam_size, root_rule=self.root_rule)
        self.beam.memo.scoring = self.stepper.scoring
        self.fit()

    cdef int fit(self) except -1:
        Trainer.fit(self)
        self.beam.fit()
        self.correct_actions.resize(<size_t>self.beam_size * self.actions.n)
        return 0

    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil:
        """Search, and learn from the gold derivation and the wrong one."""
        self.n_decisions += 1
        self.learner.skip()
        self.violation = -INFINITY
        self.stepper.costs.start()
        self._search(sentence, gold)
        if self.violation > -INFINITY:
            self.n_errors += 1
            self._update(sentence)
        return 0

    # ---- search ----------------------------------------------------------------------

    cdef int _search(self, const SentenceC* sentence, const Gold* gold) except -1 nogil:
        """Algorithm 2 without its updates: find the derivations to learn from."""
        cdef bint largest = self.perceptron.at_largest_violation
        cdef BeamState* state
        cdef int rank
        self.beam.start(sentence)
        self.gold.assign(1, 1)
        while self.beam.expand(sentence):
            for rank in range(<int>self.gold.size()):
                if self.gold[rank]:
                    state = self.beam.states[rank]
                    self._mark(&state.c, gold, self._correct_of(rank))
            if not self._pass_on():
                self._leave_beam(sentence)
                self.beam.take_over()
                self._compare(self.gold_last, self.gold_score)
                while largest and self._go_on(sentence, gold):
                    self._compare(self.gold_last, self.gold_score)
                return 0
            self.beam.take_over()
            self.gold.swap(self.gold_after)
            rank = self._best_gold()
            state = self.beam.states[rank]
            if largest and rank > 0:
                self._compare(state.last, state.score)
        rank = self._best_gold()
        state = self.beam.states[rank]
        if rank == 0 or self.perceptron.only_on_fall_out:
            # The search ends with the gold derivation, or learns only where it left the
            # beam.
            self.violation = -INFINITY
        elif not largest:
            self._compare(state.last, state.score)
        return 0

    cdef char* _correct_of(self, int rank) noexcept nogil:
        return self.correct_actions.data() + <size_t>rank * self.actions.n

    cdef int _mark(
        self, const ConfigurationC* c, const Gold* gold, char* correct
    ) except -1 nogil:
        """Mark the correct actions.

        If no action is correct, mark all legal ones. If there is no choice, mark
        nothing.
        """
        cdef unsigned int legal
        if self.system.terminal(c):
            return 0
        legal = self.system.legal_set(c)
        if self.beam.skips(legal):
            return 0
        self.actions.mark_correct(
            correct,
            self.oracle.correct_set(self.stepper.costs, c, gold, legal),
            c,
            gold,
        )
        if memchr(correct, 1, self.actions.n) is NULL:
            self.actions.mark_legal(correct, legal, c)
        return 0

    cdef bint _pass_on(self) except -1 nogil:
        """Find the gold successors.

        Returns:
            False if there are none.
        """
        cdef bint any_gold = False
        cdef bint is_gold
        cdef ScoredTransition next
        self.gold_after.clear()
        for next in self.beam.successors.found:
            is_gold = self.gold[next.row] and (
                next.action == NOTHING or self._correct_of(next.row)[next.action]
            )
            self.gold_after.push_back(is_gold)
            any_gold = any_gold or is_gold
        return any_gold

    cdef int _best_gold(self) noexcept nogil:
        """The rank of the best gold configuration. The beam must have one."""
        cdef int rank = 0
        while not self.gold[rank]:
            rank += 1
        return rank

    cdef int _compare(self, int last, double score) except -1 nogil:
        """Compare the gold derivation that ends with a step to the wrong one of the
        beam. Learn from this pair if its lead is the largest so far. Among equal leads
        the longest derivation wins.
        """
        cdef const BeamState* other = self.beam.states[0]
        if self.perceptron.takes_worst:
            other = self.beam.states.back()
        if other.score - score >= self.violation:
            self.violation = other.score - score
            self.target = last
            self.predicted = other.last
        return 0

    # ---- the gold derivation outside the beam ----------------------------------------

    cdef int _leave_beam(self, const SentenceC* sentence) except -1 nogil:
        """Advance the best gold derivation by one step.

        None of its successors is in the next beam.
        """
        cdef ScoredTransition next
        cdef ScoredTransition best
        cdef BeamState* state
        cdef int rank
        best.row = NOTHING
        for rank in range(<int>self.gold.size()):
            if self.gold[rank]:
                state = self.beam.states[rank]
                next = self._best_correct(
                    &state.c, state.score, self._correct_of(rank), sentence
                )
                next.row = rank
                if best.row == NOTHING or is_better(next, best):
                    best = next
        state = self.beam.states[best.row]
        self.gold_last = state.last
        copy_configuration(&self.stepper.at.c, &state.c)
        self._take(best)
        return 0

    cdef bint _go_on(self, const SentenceC* sentence, const Gold* gold) except -1 nogil:
        """Advance the gold derivation by one step, and the beam too.

        Returns:
            False if both have ended.
        """
        cdef bint has_moved = not self.system.terminal(&self.stepper.at.c)
        if has_moved:
            self._mark(&self.stepper.at.c, gold, self._correct_of(0))
            self._take(
                self._best_correct(
                    &self.stepper.at.c, self.gold_score, self._correct_of(0), sentence
                )
            )
        return self.beam.advance(sentence) or has_moved

    cdef ScoredTransition _best_correct(
        self,
        const ConfigurationC* c,
        double score,
        const char* correct,
        const SentenceC* sentence,
    ) noexcept nogil:
        """The best-scoring successor among those by the actions marked as correct."""
        cdef ScoredTransition next = ScoredTransition(
            score=score, row=0, action=NOTHING, transition=NOTHING
        )
        cdef const float* scores
        cdef unsigned int legal
        if self.system.terminal(c):
            return next
        legal = self.system.legal_set(c)
        next.transition = self.system.lowest(legal)
        if self.beam.skips(legal):
            return next
        scores = self.beam.memo.scores(c, sentence)
        next.action = self.actions.best_marked(scores, correct)
        if next.action != NOTHING:
            next.transition = self.actions.transition[next.action]
            next.score += scores[next.action]
        return next

    cdef int _take(self, ScoredTransition next) except -1 nogil:
        """Replace the gold configuration outside the beam by one of its successors."""
        cdef Step step
        self.gold_score = next.score
        if next.transition == NOTHING:
            return 0
        step.before = self.gold_last
        step.action = next.action
        step.transition = next.transition
        # Nobody copies what it changes.
        step.words = [0, 0, 0, 0]
        self.stepper.take(next)
        self.gold_last = <int>self.beam.steps.size()
        self.beam.steps.push_back(step)
        return 0

    # ---- learning --------------------------------------------------------------------

    cdef int _update(self, const SentenceC* sentence) except -1 nogil:
        """w += sum of phi(c, action) over the gold derivation - the same over the wrong
        one, from the first action that differs.
        """
        cdef size_t first = 0
        self.beam.derivation(self.target, &self.right_steps)
        self.beam.derivation(self.predicted, &self.wrong_steps)
        while (
            first < min(self.right_steps.size(), self.wrong_steps.size())
            and self.right_steps[first].action == self.wrong_steps[first].action
            and self.right_steps[first].transition == self.wrong_steps[first].transition
        ):
            first += 1
        self.changes.clear()
        self._replay(sentence, &self.right_steps, first, 1)
        self._replay(sentence, &self.wrong_steps, first, -1)
        self._change_weights()
        return 0

    cdef int _replay(
        self,
        const SentenceC* sentence,
        const vector[Step]* steps,
        size_t first,
        float delta,
    ) except -1 nogil:
        """Carry out a derivation, and record its features from a given step on."""
        cdef uint64_t* keys = self.stepper.keys_of(0)
        cdef size_t i
        cdef int k, n_keys
        cdef Step step
        self.stepper.start(sentence)
        for i in range(steps.size()):
            step = steps[0][i]
            if i >= first and step.action != NOTHING:
                n_keys = self.extractor.extract(&self.stepper.at.c, sentence, keys)
                for k in range(n_keys):
                    self.changes.push_back(
                        Change(key=keys[k], action=step.action, delta=delta)
                    )
            self.stepper.take(
                ScoredTransition(
                    score=0, row=0, action=step.action, transition=step.transition
                )
            )
        return 0

    cdef void _change_weights(self) noexcept nogil:
        """Change the weights.

        Features that both derivations share cancel out and take no memory.
        """
        cdef size_t i
        cdef Change change
        sort(self.changes.begin(), self.changes.end(), is_before)
        i = 0
        while i < self.changes.size():
            change = self.changes[i]
            i += 1
            while i < self.changes.size() and not is_before(change, self.changes[i]):
                change.delta += self.changes[i].delta
                i += 1
            if change.delta != 0:
                self.perceptron.add(change.key, change.action, change.delta)
