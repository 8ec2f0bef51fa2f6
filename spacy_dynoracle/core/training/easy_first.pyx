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

from ..state.configuration cimport NO_LABEL, ConfigurationC, reserve
from ..state.gold cimport Gold
from ..learners.base cimport Alternatives, Decision, Pick
from ..state.sentence cimport SentenceC
from ..systems.easy_first cimport first_touched, focus, last_touched, n_pairs
from .trainer cimport Trainer

cdef enum:
    NOTHING = -1
    UPDATE_LIMIT = 200
    # The least cost where no transition is legal.
    NO_COST = 0x7FFFFFFF

# A sentence is given up after this many updates, as in the released program.
MAX_UPDATES = UPDATE_LIMIT


# What is known of a pair of neighbours: the number of its features, its legal
# transitions, those of least cost, and that cost.
cdef struct Pair:
    int n_keys
    unsigned int legal
    unsigned int cheapest
    int least


cdef inline bint is_same(Pick a, Pick b) noexcept nogil:
    return a.row == b.row and a.action == b.action


cdef class EasyFirstTrainer(Trainer):
    """Training state for systems that choose a pair of neighbours.

    n_given_up: sentences that were left after MAX_UPDATES updates within one pass.

    Source: Goldberg & Nivre 2013, section 3; Goldberg & Elhadad 2010, section 4.
    """

    # Of each pair, by its left node: what is known of it, keys of the features, scores
    # of the actions, which of them are correct and, for exploration, which are legal.
    cdef vector[Pair] pairs
    cdef vector[uint64_t] pair_keys
    cdef vector[float] pair_scores
    cdef vector[char] pair_correct
    cdef vector[char] pair_legal
    # The pairs of the present configuration, from left to right; the i-th is row i - 1.
    cdef vector[Alternatives] alternatives
    cdef int n_templates
    cdef int n_scores

    chooses_pair = True

    cdef int train_sentence(
        self, const SentenceC* sentence, const Gold* gold, int iteration
    ) except -1 nogil:
        """Algorithm 3: predict, ask the oracle, explore, update, stay or move."""
        cdef ConfigurationC* c = &self.c
        cdef Decision decision
        cdef Pick pick
        cdef int n_updates = 0
        self._fit_pairs(sentence.length + 1)
        reserve(c, sentence.length)
        self.system.start(c, sentence.length, self.root_rule)
        self._extract(sentence, 1, n_pairs(c))
        while not self.system.terminal(c):
            self.n_decisions += 1
            decision.predicted = self._best_legal()
            if decision.predicted.action == NOTHING:
                # The inventory has no action for what is legal here.
                self.learner.skip()
                self._apply(sentence, decision.predicted)
                continue

            self._line_up(gold, self._find_cheapest(gold))
            decision.target = self._best_correct()
            if decision.target.action == NOTHING:
                # No action of the inventory is correct: nothing to learn here.
                self.learner.skip()
                self._apply(sentence, decision.predicted)
                continue

            decision.n_rows = <int>self.alternatives.size()
            decision.rows = self.alternatives.data()
            decision.is_correct = decision.rows[decision.predicted.row].correct[
                decision.predicted.action
            ]
            self.n_errors += not decision.is_correct
            pick = self.exploration.next_action(
                self.actions.n, &decision, iteration, self.random
            )
            self.learner.update(&decision)
            n_updates += not decision.is_correct
            if n_updates == UPDATE_LIMIT:
                self.n_given_up += 1
                break
            if (
                not decision.is_correct
                or self.learner.is_probabilistic
                or self.learner.margin > 0
            ):
                self._score(1, n_pairs(c))
            if decision.is_correct or not is_same(pick, decision.target):
                self._apply(sentence, pick)
        return 0

    cdef int _fit_pairs(self, int n_nodes) except -1 nogil:
        """Make room for the pairs of a sentence."""
        self.n_templates = self.extractor.n_templates
        self.n_scores = self.learner.n_scores()
        if <int>self.pairs.size() < n_nodes:
            self.pairs.resize(n_nodes)
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

    cdef char* _correct(self, int node) noexcept nogil:
        return &self.pair_correct[<size_t>node * self.n_scores]

    cdef char* _legal(self, int node) noexcept nogil:
        return &self.pair_legal[<size_t>node * self.n_scores]

    cdef int _focus(self, int i) noexcept nogil:
        """Put the i-th pair into focus and return its left node."""
        focus(&self.c, i)
        return self.c.stack[i - 1]

    cdef void _extract(
        self, const SentenceC* sentence, int first, int last
    ) noexcept nogil:
        """Features, scores and legal transitions of the pairs first..last."""
        cdef int i, k
        for i in range(first, last + 1):
            k = self._focus(i)
            self.pairs[k].n_keys = self.extractor.extract(
                &self.c, sentence, self._keys(k)
            )
            self.pairs[k].legal = self.system.legal_set(&self.c)
        self._score(first, last)

    cdef void _score(self, int first, int last) noexcept nogil:
        """Score the pairs first..last with the weights in force."""
        cdef int i, k
        for i in range(first, last + 1):
            k = self._focus(i)
            self.learner.score(self._keys(k), self.pairs[k].n_keys, self._scores(k))

    cdef Pick _best_legal(self) noexcept nogil:
        """The best legal action of all pairs; without one, any legal transition."""
        cdef Pick best = Pick(row=NOTHING, action=NOTHING)
        cdef float best_score = 0
        cdef int i, k, action
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            if self.pairs[k].legal == 0:
                continue
            action = self.actions.best_legal(
                self._scores(k), self.pairs[k].legal, &self.c
            )
            if action == NOTHING:
                if best.row == NOTHING:
                    best.row = i - 1
            elif best.action == NOTHING or self._scores(k)[action] > best_score:
                best = Pick(row=i - 1, action=action)
                best_score = self._scores(k)[action]
        return best

    cdef int _find_cheapest(self, const Gold* gold) except? -1 nogil:
        """Ask the oracle, for each pair, which transitions cost least.

        Returns the least cost over all pairs: 0 unless the gold tree is not projective.
        """
        cdef int i
        cdef int least = NO_COST
        cdef Pair* pair
        for i in range(1, n_pairs(&self.c) + 1):
            pair = &self.pairs[self._focus(i)]
            pair.least = NO_COST
            if pair.legal:
                pair.cheapest = self.oracle.correct_set(
                    self.costs, &self.c, gold, pair.legal
                )
                pair.least = self.costs.cost(
                    self.system.lowest(pair.cheapest), &self.c, gold
                )
                least = min(least, pair.least)
        return least

    cdef int _line_up(self, const Gold* gold, int least) except -1 nogil:
        """All pairs with their actions; correct are transitions that cost `least`."""
        cdef Alternatives row
        cdef int i, k
        self.alternatives.clear()
        for i in range(1, n_pairs(&self.c) + 1):
            k = self._focus(i)
            self.actions.mark_correct(
                self._correct(k),
                self.pairs[k].cheapest if self.pairs[k].least == least else 0,
                &self.c,
                gold,
            )
            if self.exploration.samples or self.learner.margin > 0:
                self.actions.mark_legal(self._legal(k), self.pairs[k].legal, &self.c)
            row.keys = self._keys(k)
            row.n_keys = self.pairs[k].n_keys
            row.scores = self._scores(k)
            row.correct = self._correct(k)
            row.legal = self._legal(k)
            self.alternatives.push_back(row)
        return 0

    cdef Pick _best_correct(self) noexcept nogil:
        """The best of the correct actions of all pairs."""
        cdef Pick best = Pick(row=NOTHING, action=NOTHING)
        cdef float best_score = 0
        cdef int r, action
        cdef Alternatives* row
        for r in range(<int>self.alternatives.size()):
            row = &self.alternatives[r]
            action = self.actions.best_correct(row.scores, row.correct)
            if action == NOTHING:
                continue
            if best.action == NOTHING or row.scores[action] > best_score:
                best = Pick(row=r, action=action)
                best_score = row.scores[action]
        return best

    cdef void _apply(self, const SentenceC* sentence, Pick pick) noexcept nogil:
        """Move on, and look again at the pairs that are touched."""
        cdef ConfigurationC* c = &self.c
        cdef int k = self._focus(pick.row + 1)
        if pick.action == NOTHING:
            self.system.transitions[self.system.lowest(self.pairs[k].legal)].apply(
                c, NO_LABEL
            )
        else:
            self.system.transitions[self.actions.transition[pick.action]].apply(
                c, self.actions.label[pick.action]
            )
        self._extract(sentence, first_touched(c), last_touched(c))
