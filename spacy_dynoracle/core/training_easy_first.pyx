# cython: boundscheck=False, wraparound=False
"""Training of easy-first systems: algorithms 2 and 3 with NEXT(c, t) = c.

After a wrong prediction that is not followed the configuration stays as it is, is
scored with the new weights, and so on until the prediction is correct. An exploration
policy that takes another action than the correct one moves on with it.

The features of a pair of neighbours are extracted once for each change of what it sees.
An update changes weights, not features, so what follows it is only a new dot product.
"""
from libc.stdint cimport uint64_t
from libcpp.vector cimport vector

from .configuration cimport NO_LABEL, ConfigurationC, reserve
from .gold cimport Gold
from .sentence cimport SentenceC
from .systems.easy_first cimport first_touched, focus, last_touched, n_pairs
from .learners.base cimport Alternatives, Decision, Pick
from .training cimport Trainer

cdef enum:
    NOTHING = -1
    UPDATE_LIMIT = 200

# A sentence is given up after this many updates, as in the released program.
MAX_UPDATES = UPDATE_LIMIT


# An action for the pair whose left node this is.
cdef struct Candidate:
    int node
    int pair
    int action
    float score


cdef inline bint is_same(Pick a, Pick b) noexcept nogil:
    return a.row == b.row and a.action == b.action


cdef class EasyFirstTrainer(Trainer):
    """Training state for systems that choose a pair of neighbours.

    n_given_up: sentences that were left after MAX_UPDATES updates within one pass.

    Source: Goldberg & Nivre 2013, section 3; Goldberg & Elhadad 2010, section 4.
    """

    # Of each pair, by its left node: keys of the features, their number, scores of the
    # actions, legal transitions and those of least cost.
    cdef vector[uint64_t] pair_keys
    cdef vector[int] n_pair_keys
    cdef vector[float] pair_scores
    cdef vector[unsigned int] legal
    cdef vector[unsigned int] cheapest
    cdef vector[int] least
    # Flags for each action of each pair, where learner or exploration need them.
    cdef vector[char] pair_correct
    cdef vector[char] pair_legal
    # The pairs of the present configuration, from left to right.
    cdef vector[Alternatives] alternatives
    cdef int n_templates
    cdef int n_scores

    chooses_pair = True

    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil:
        """Algorithm 3: predict, ask the oracle, update, explore or stay, move."""
        cdef ConfigurationC* c = &self.c
        cdef Candidate predicted, target
        cdef Decision decision
        cdef Pick pick
        cdef int n_updates = 0
        self._fit_pairs(sentence.length + 1)
        reserve(c, sentence.length)
        self.system.start(c, sentence.length)
        self._extract(sentence, 1, n_pairs(c))
        while not self.system.terminal(c):
            self.n_decisions += 1
            predicted = self._predict()
            if predicted.action == NOTHING:
                # The inventory has no action for what is legal here.
                self.learner.skip()
                self._apply(sentence, predicted.pair, NOTHING)
                continue

            self._find_cheapest(gold)
            target = self._best_correct(gold)
            if target.action == NOTHING:
                # No action of the inventory is correct: nothing to learn here.
                self.learner.skip()
                self._apply(sentence, predicted.pair, predicted.action)
                continue

            decision = self._decision(predicted, target, gold)
            self.n_errors += not decision.is_correct
            pick = self.exploration.next_action(
                self.actions.n, &decision, iteration, self.random
            )
            self.learner.update(&decision)
            n_updates += not decision.is_correct
            if n_updates == UPDATE_LIMIT:
                self.n_given_up += 1
                break
            if not decision.is_correct or self.learner.is_probabilistic:
                self._score(1, n_pairs(c))
            if decision.is_correct or not is_same(pick, decision.target):
                self._apply(sentence, pick.row + 1, pick.action)
        return 0

    cdef int _fit_pairs(self, int n_nodes) except -1 nogil:
        """Make room for the pairs of a sentence."""
        self.n_templates = self.extractor.n_templates
        self.n_scores = self.learner.n_scores()
        if <int>self.least.size() < n_nodes:
            self.n_pair_keys.resize(n_nodes)
            self.legal.resize(n_nodes)
            self.cheapest.resize(n_nodes)
            self.least.resize(n_nodes)
        if self.pair_keys.size() < <size_t>n_nodes * self.n_templates:
            self.pair_keys.resize(<size_t>n_nodes * self.n_templates)
        if self.pair_scores.size() < <size_t>n_nodes * self.n_scores:
            self.pair_scores.resize(<size_t>n_nodes * self.n_scores)
            self.pair_correct.resize(<size_t>n_nodes * self.n_scores)
            self.pair_legal.resize(<size_t>n_nodes * self.n_scores)
        return 0

    cdef uint64_t* _keys(self, int node) noexcept nogil:
        return &self.pair_keys[<size_t>node * self.n_templates]

    cdef float* _scores(self, int node) noexcept nogil:
        return &self.pair_scores[<size_t>node * self.n_scores]

    cdef int _focus(self, int pair) noexcept nogil:
        """Put a pair into focus and return its left node."""
        focus(&self.c, pair)
        return self.c.stack[pair - 1]

    cdef void _extract(
        self, const SentenceC* sentence, int first, int last
    ) noexcept nogil:
        """Features, scores and legal transitions of the pairs first..last."""
        cdef int i, k
        for i in range(first, last + 1):
            k = self._focus(i)
            self.n_pair_keys[k] = self.extractor.extract(
                &self.c, sentence, self._keys(k)
            )
            self.legal[k] = self.system.legal_set(&self.c)
        self._score(first, last)

    cdef void _score(self, int first, int last) noexcept nogil:
        """Score the pairs first..last with the weights in force."""
        cdef int i, k
        for i in range(first, last + 1):
            k = self._focus(i)
            self.learner.score(self._keys(k), self.n_pair_keys[k], self._scores(k))

    cdef Candidate _predict(self) noexcept nogil:
        """The best legal action of all pairs; without one, any legal transition."""
        cdef Candidate best = Candidate(
            node=NOTHING, pair=NOTHING, action=NOTHING, score=0
        )
        cdef int i, k, action
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            if self.legal[k] == 0:
                continue
            action = self.actions.best_legal(self._scores(k), self.legal[k], &self.c)
            if action == NOTHING:
                if best.pair == NOTHING:
                    best.node, best.pair = k, i
            elif best.action == NOTHING or self._scores(k)[action] > best.score:
                best = Candidate(
                    node=k, pair=i, action=action, score=self._scores(k)[action]
                )
        return best

    cdef int _find_cheapest(self, const Gold* gold) except -1 nogil:
        """Ask the oracle, for each pair, which transitions cost least, and how much."""
        cdef int i, k
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            self.least[k] = NOTHING
            if self.legal[k]:
                self.cheapest[k] = self.oracle.correct_set(
                    self.costs, &self.c, gold, self.legal[k]
                )
                self.least[k] = self.costs.cost(
                    self.system.lowest(self.cheapest[k]), &self.c, gold
                )
        return 0

    cdef Candidate _best_correct(self, const Gold* gold) noexcept nogil:
        """The best of the correct actions of all pairs."""
        cdef Candidate best = Candidate(
            node=NOTHING, pair=NOTHING, action=NOTHING, score=0
        )
        cdef int i, k, action, least
        least = self._least()
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            if self.least[k] != least:
                continue
            self.actions.mark_correct(self.correct, self.cheapest[k], &self.c, gold)
            action = self.actions.best_correct(self._scores(k), self.correct)
            if action == NOTHING:
                continue
            if best.action == NOTHING or self._scores(k)[action] > best.score:
                best = Candidate(
                    node=k, pair=i, action=action, score=self._scores(k)[action]
                )
        return best

    cdef int _least(self) noexcept nogil:
        """The least cost over all pairs: 0 unless the gold tree is not projective."""
        cdef int i, k
        cdef int least = NOTHING
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            if self.least[k] != NOTHING and (
                least == NOTHING or self.least[k] < least
            ):
                least = self.least[k]
        return least

    cdef Decision _decision(
        self, Candidate predicted, Candidate target, const Gold* gold
    ) except * nogil:
        """All pairs with their actions, from left to right."""
        cdef Decision decision
        cdef Alternatives row
        cdef int i, k
        cdef int least = self._least()
        self.alternatives.clear()
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            row.keys = self._keys(k)
            row.n_keys = self.n_pair_keys[k]
            row.scores = self._scores(k)
            row.correct = &self.pair_correct[<size_t>k * self.n_scores]
            row.legal = &self.pair_legal[<size_t>k * self.n_scores]
            self.actions.mark_correct(
                &self.pair_correct[<size_t>k * self.n_scores],
                self.cheapest[k] if self.least[k] == least else 0,
                &self.c,
                gold,
            )
            if self.exploration.samples:
                self.actions.mark_legal(
                    &self.pair_legal[<size_t>k * self.n_scores], self.legal[k], &self.c
                )
            self.alternatives.push_back(row)
        decision.n_rows = <int>self.alternatives.size()
        decision.rows = self.alternatives.data()
        decision.predicted.row = predicted.pair - 1
        decision.predicted.action = predicted.action
        decision.target.row = target.pair - 1
        decision.target.action = target.action
        decision.is_correct = decision.rows[predicted.pair - 1].correct[
            predicted.action
        ]
        return decision

    cdef void _apply(
        self, const SentenceC* sentence, int pair, int action
    ) noexcept nogil:
        """Move on, and look again at the pairs that are touched."""
        cdef ConfigurationC* c = &self.c
        cdef int k = self._focus(pair)
        if action == NOTHING:
            self.system.transitions[self.system.lowest(self.legal[k])].apply(
                c, NO_LABEL
            )
        else:
            self.system.transitions[self.actions.transition[action]].apply(
                c, self.actions.label[action]
            )
        self._extract(sentence, first_touched(c), last_touched(c))
