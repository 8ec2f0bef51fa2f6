# cython: boundscheck=False, wraparound=False
"""Derivations with the probabilities of their decisions.

The probability of an action is its share in the softmax of scores / temperature over
the legal actions of a configuration, in easy-first over those of all pairs of
neighbours; the probability of a derivation is the product over its decisions.
Transitions that are forced and not scored have probability 1.

Source: Goldberg 2013, section 3.3; sampling derivations gives every arc in proportion
to the probability of the derivations that have it.
"""
from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.random cimport mt19937_64
from libcpp.vector cimport vector

import numpy as np

from .actions cimport check_actions
from .configuration cimport (
    NO_LABEL,
    ROOT,
    ConfigurationC,
    N,
    S,
    copy_configuration,
    release,
    reserve,
)
from .hashing cimport mix
from .model cimport Model
from .random cimport Random
from .search.base cimport Choice, Workspace, sentences_of
from .sentence cimport SentenceC
from .softmax cimport LogSum, merge, share_of
from .systems.base cimport attach_to_root
from .systems.easy_first cimport first_touched, focus, last_touched, n_pairs

from .results import ArcCounts, Probabilities

cdef enum:
    NOTHING = -1
    NEGLIGIBLE = -40


cdef struct Arc:
    int head
    int label
    int count


cdef bint comes_first(const Arc& a, const Arc& b) noexcept nogil:
    if a.count != b.count:
        return a.count > b.count
    return a.head < b.head if a.head != b.head else a.label < b.label


# A configuration on the way. For each pair of neighbours, by its left node, the sum
# over its legal actions and the best of them; other systems have one row, number 0.
cdef cppclass State:
    ConfigurationC c
    vector[LogSum] sums
    vector[Choice] best
    # How many samples are on this way.
    int count


cdef class Walker:
    """Walks along derivations under a model.

    Raises ValueError for a model without a temperature.
    """

    cdef Model model
    cdef Workspace work
    cdef double per_temperature
    cdef vector[char] legal
    cdef vector[State*] unused

    def __cinit__(self, Model model not None):
        if model.temperature is None:
            raise ValueError(
                f"scores of the learner {model.learner} are no probabilities: train "
                f"with AdaGradRDA, or fit a temperature (spacy-dynoracle calibrate)"
            )
        check_actions(model.system, model.actions, model.weights)
        self.model = model
        self.per_temperature = 1.0 / model.temperature
        self.work = Workspace()
        self.work.fit(model.weights.n_scores())
        self.legal.resize(model.actions.n + 1)

    def __dealloc__(self):
        cdef State* state
        for state in self.unused:
            release(&state.c)
            del state

    cdef State* new_state(self) except NULL nogil:
        cdef State* state
        if not self.unused.empty():
            state = self.unused.back()
            self.unused.pop_back()
            return state
        state = new State()
        state.c.block = NULL
        state.c.capacity = 0
        return state

    cdef State* copy_of(self, const State* state) except NULL nogil:
        cdef State* copy = self.new_state()
        copy_configuration(&copy.c, &state.c)
        copy.sums = state.sums
        copy.best = state.best
        return copy

    cdef void give_back(self, State* state) noexcept nogil:
        self.unused.push_back(state)

    cdef int begin(self, State* state, const SentenceC* sentence) except -1 nogil:
        """Make `state` the initial one of a sentence."""
        cdef int n_rows = sentence.length + 1 if self.model.system.chooses_pair else 1
        reserve(&state.c, sentence.length)
        self.model.system.start(&state.c, sentence.length)
        state.sums.resize(n_rows)
        state.best.resize(n_rows)
        if self.model.system.chooses_pair:
            self.look(state, sentence, 1, n_pairs(&state.c))
        return 0

    cdef bint reach_choice(
        self, State* state, const SentenceC* sentence
    ) noexcept nogil:
        """Carry out what is forced. False in a terminal configuration, else the next
        action has to be chosen, and what there is to choose from is known."""
        cdef unsigned int legal
        cdef Choice forced
        while not self.model.system.terminal(&state.c):
            if self.model.system.chooses_pair:
                if self.total(state).mass > 0:
                    return True
                forced = state.best[self.row_of(state, self.easiest(state))]
                self.apply(state, sentence, self.easiest(state), forced)
                continue
            legal = self.model.system.legal_set(&state.c)
            if not self.model.system.is_forced(legal):
                self.look_at_row(state, sentence, 0)
                if state.sums[0].mass > 0:
                    return True
            self.model.system.transitions[self.model.system.lowest(legal)].apply(
                &state.c, NO_LABEL
            )
        return False

    cdef void look(
        self, State* state, const SentenceC* sentence, int first, int last
    ) noexcept nogil:
        """Look at the pairs first..last anew."""
        cdef int i
        for i in range(first, last + 1):
            focus(&state.c, i)
            self.look_at_row(state, sentence, self.row_of(state, i))

    cdef void look_at_row(
        self, State* state, const SentenceC* sentence, int row
    ) noexcept nogil:
        """Score the actions of the pair in focus (or of the configuration)."""
        cdef LogSum total = LogSum(largest=-INFINITY, mass=0)
        cdef Choice choice
        cdef int n_keys, a
        cdef double score
        cdef unsigned int legal = self.model.system.legal_set(&state.c)
        choice.score = -1e30
        choice.action = NOTHING
        choice.transition = self.model.system.lowest(legal) if legal else NOTHING
        if legal:
            n_keys = self.model.extractor.extract(&state.c, sentence, self.work.keys)
            self.model.weights.score(self.work.keys, n_keys, self.work.scores)
            self.model.actions.mark_legal(self.legal.data(), legal, &state.c)
            choice.action = self.model.actions.best_legal(
                self.work.scores, legal, &state.c
            )
            if choice.action != NOTHING:
                choice.score = self.work.scores[choice.action]
                choice.transition = self.model.actions.transition[choice.action]
                total.largest = choice.score * self.per_temperature
            for a in range(self.model.actions.n):
                if self.legal[a]:
                    score = self.work.scores[a] * self.per_temperature - total.largest
                    # Below that it changes no digit of the sum.
                    if score > NEGLIGIBLE:
                        total.mass += exp(score)
        state.sums[row] = total
        state.best[row] = choice

    cdef LogSum total(self, const State* state) noexcept nogil:
        """The sum over all legal actions."""
        cdef LogSum total
        cdef int i
        if not self.model.system.chooses_pair:
            return state.sums[0]
        total = LogSum(largest=-INFINITY, mass=0)
        for i in range(1, n_pairs(&state.c) + 1):
            merge(&total, state.sums[self.row_of(state, i)])
        return total

    cdef int easiest(self, const State* state) noexcept nogil:
        """The pair with the best action, the first of equals; 0 in other systems."""
        cdef int i
        cdef int best = 0
        cdef Choice choice
        cdef float best_score = 0
        if not self.model.system.chooses_pair:
            return 0
        for i in range(1, n_pairs(&state.c) + 1):
            choice = state.best[self.row_of(state, i)]
            if choice.transition != NOTHING and (
                best == 0 or choice.score > best_score
            ):
                best = i
                best_score = choice.score
        return best

    cdef int row_of(self, const State* state, int pair) noexcept nogil:
        """The row of a pair: its left node."""
        cdef const ConfigurationC* c = &state.c
        if pair == 0:
            return 0
        if pair <= c.stack_size:
            return c.stack[pair - 1]
        return c.buffer[c.front + pair - 1 - c.stack_size]

    cdef void apply(
        self, State* state, const SentenceC* sentence, int pair, Choice choice
    ) noexcept nogil:
        """Take an action."""
        cdef ConfigurationC* c = &state.c
        if pair:
            focus(c, pair)
        self.model.system.transitions[choice.transition].apply(
            c,
            NO_LABEL
            if choice.action == NOTHING
            else self.model.actions.label[choice.action],
        )
        if pair:
            self.look(state, sentence, first_touched(c), last_touched(c))


cdef int credited_word(
    Model model, const ConfigurationC* c, int transition
) noexcept nogil:
    """The word to which a decision is credited (see `Probabilities`)."""
    if model.system.transitions[transition].arc is not NULL:
        return model.system.transitions[transition].arc(c).dependent
    # SHIFT is the first transition wherever there is one.
    if N(c, 0) > ROOT and (transition == 0 or S(c, 0) <= ROOT):
        return N(c, 0)
    return S(c, 0) if S(c, 0) > ROOT else 1


def parse_with_probabilities(Model model not None, sentences):
    """Parse sentences greedily, with the probability of every decision.

    Returns (heads, labels, `Probabilities`), the first two as `Search.parse` does.
    Raises ValueError for a model without a temperature.
    """
    cdef Walker walker = Walker(model)
    cdef vector[const SentenceC*] pointers
    # The pointers are into these objects.
    sentences = list(sentences)
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t i
    cdef const SentenceC* s
    cdef State* state
    cdef Choice choice
    cdef double p
    cdef int pair, k
    heads = np.empty(n_words, dtype=np.int32)
    labels = np.empty(n_words, dtype=np.int32)
    arcs = np.ones(n_words, dtype=np.float64)
    log_words = np.zeros(n_words, dtype=np.float64)
    lowest_words = np.ones(n_words, dtype=np.float64)
    log_derivation = np.zeros(pointers.size(), dtype=np.float64)
    lowest = np.ones(pointers.size(), dtype=np.float64)
    cdef int32_t[::1] heads_view = heads
    cdef int32_t[::1] labels_view = labels
    cdef double[::1] arcs_view = arcs
    cdef double[::1] log_view = log_derivation
    cdef double[::1] lowest_view = lowest
    cdef double[::1] log_words_view = log_words
    cdef double[::1] lowest_words_view = lowest_words
    with nogil:
        model.weights.prepare()
        state = walker.new_state()
        for i in range(<Py_ssize_t>pointers.size()):
            s = pointers[i]
            walker.begin(state, s)
            while walker.reach_choice(state, s):
                pair = walker.easiest(state)
                choice = state.best[walker.row_of(state, pair)]
                p = share_of(
                    walker.total(state), choice.score * walker.per_temperature
                )
                log_view[i] += log(p)
                lowest_view[i] = min(lowest_view[i], p)
                if pair:
                    focus(&state.c, pair)
                k = credited_word(model, &state.c, choice.transition)
                if model.system.transitions[choice.transition].arc is not NULL:
                    arcs_view[at + k - 1] = p
                log_words_view[at + k - 1] += log(p)
                lowest_words_view[at + k - 1] = min(lowest_words_view[at + k - 1], p)
                walker.apply(state, s, pair, choice)
            attach_to_root(&state.c, model.root_label_id)
            for k in range(s.length):
                heads_view[at + k] = state.c.nodes[k + 1].head
                labels_view[at + k] = state.c.nodes[k + 1].label
            at += s.length
        walker.give_back(state)
    return heads, labels, Probabilities(
        arcs, log_derivation, lowest, log_words, lowest_words
    )


cdef class Sampler(Walker):
    """Draws derivations; those that begin alike are walked along together.

    arcs: for each word of the sentence what has been drawn.
    """

    cdef Random random
    cdef vector[vector[Arc]] arcs
    # The samples of the present choice: actions, and how often each was drawn.
    cdef vector[int] pairs
    cdef vector[Choice] drawn
    cdef vector[int] counts

    def __init__(self, Model model not None):
        self.random = Random()

    cdef int sample(
        self, const SentenceC* sentence, int n_samples, uint64_t seed
    ) except -1 nogil:
        """Fill `arcs` for one sentence."""
        cdef vector[State*] waiting
        cdef State* state
        cdef State* other
        cdef int k
        cdef size_t i
        self.random.engine = mt19937_64(seed_of(sentence, seed))
        self.arcs.resize(sentence.length)
        for k in range(sentence.length):
            self.arcs[k].clear()
        state = self.new_state()
        state.count = n_samples
        self.begin(state, sentence)
        waiting.push_back(state)
        while not waiting.empty():
            state = waiting.back()
            waiting.pop_back()
            while self.reach_choice(state, sentence):
                self._draw(state, sentence)
                for i in range(1, self.drawn.size()):
                    other = self.copy_of(state)
                    other.count = self.counts[i]
                    waiting.push_back(other)
                    # `drawn` is used by the others before anybody draws again.
                    self._take(other, sentence, i)
                state.count = self.counts[0]
                self._take(state, sentence, 0)
            attach_to_root(&state.c, self.model.root_label_id)
            self._record(state)
            self.give_back(state)
        for k in range(sentence.length):
            sort(self.arcs[k].begin(), self.arcs[k].end(), comes_first)
        return 0

    cdef void _take(
        self, State* state, const SentenceC* sentence, size_t i
    ) noexcept nogil:
        self.apply(state, sentence, self.pairs[i], self.drawn[i])

    cdef int _draw(self, State* state, const SentenceC* sentence) except -1 nogil:
        """Draw an action for every sample of a state."""
        cdef LogSum total = self.total(state)
        cdef int pair
        cdef size_t j
        cdef double u
        cdef Choice choice
        self.pairs.clear()
        self.drawn.clear()
        self.counts.clear()
        for _ in range(state.count):
            u = self.random.uniform()
            pair = self._pair_at(state, total, &u)
            if pair:
                focus(&state.c, pair)
                # The scores of this pair have been overwritten by those of others.
                self.look_at_row(state, sentence, self.row_of(state, pair))
            choice = self._action_at(state, pair, u)
            j = 0
            while j < self.drawn.size() and not (
                self.pairs[j] == pair and self.drawn[j].action == choice.action
            ):
                j += 1
            if j == self.drawn.size():
                self.pairs.push_back(pair)
                self.drawn.push_back(choice)
                self.counts.push_back(0)
            self.counts[j] += 1
        return 0

    cdef int _pair_at(
        self, const State* state, LogSum total, double* u
    ) noexcept nogil:
        """The pair at the share u of the distribution; u becomes a share within it."""
        cdef int i, last = 0
        cdef LogSum own
        cdef double share
        if not self.model.system.chooses_pair:
            return 0
        for i in range(1, n_pairs(&state.c) + 1):
            own = state.sums[self.row_of(state, i)]
            if own.mass == 0:
                continue
            share = own.mass * share_of(total, own.largest)
            last = i
            if u[0] < share:
                u[0] /= share
                return i
            u[0] -= share
        # Only rounding leads here.
        u[0] = 0
        return last

    cdef Choice _action_at(self, const State* state, int pair, double u) noexcept nogil:
        """The legal action at the share u of the row whose scores are at hand."""
        cdef int row = self.row_of(state, pair)
        cdef Choice choice = state.best[row]
        cdef LogSum total = state.sums[row]
        cdef int a
        for a in range(self.model.actions.n):
            if self.legal[a]:
                u -= share_of(total, self.work.scores[a] * self.per_temperature)
                if u < 0:
                    choice.action = a
                    choice.transition = self.model.actions.transition[a]
                    return choice
        return choice

    cdef int _record(self, const State* state) except -1 nogil:
        """Count the arcs of a terminal configuration."""
        cdef int k
        cdef size_t i
        cdef vector[Arc]* arcs
        cdef Arc arc
        for k in range(state.c.length):
            arc.head = state.c.nodes[k + 1].head
            arc.label = state.c.nodes[k + 1].label
            arc.count = state.count
            arcs = &self.arcs[k]
            i = 0
            while i < arcs.size() and not (
                arcs[0][i].head == arc.head and arcs[0][i].label == arc.label
            ):
                i += 1
            if i == arcs.size():
                arcs.push_back(arc)
            else:
                arcs[0][i].count += arc.count
        return 0


cdef uint64_t seed_of(const SentenceC* sentence, uint64_t seed) noexcept nogil:
    """A seed from the words of a sentence, so that its draws do not depend on what else
    is in the batch."""
    cdef uint64_t value = mix(seed + <uint64_t>0x9E3779B97F4A7C15)
    cdef int k
    for k in range(sentence.n_columns, (sentence.length + 1) * sentence.n_columns):
        value = mix(value * <uint64_t>0xC2B2AE3D27D4EB4F + sentence.atoms[k])
    return value


def sample_arcs(Model model not None, sentences, int n_samples=64, seed=0):
    """Draw derivations of sentences and count their arcs.

    n_samples: of each sentence. seed: any integer.

    A count divided by n_samples estimates the probability of the arc, without bias.

    Returns `ArcCounts`. Raises ValueError for a model without a temperature and for
    less than one sample.
    """
    if n_samples < 1:
        raise ValueError(f"n_samples = {n_samples}: expected at least 1")
    cdef Sampler sampler = Sampler(model)
    cdef vector[const SentenceC*] pointers
    # The pointers are into these objects.
    sentences = list(sentences)
    cdef Py_ssize_t n_words = sentences_of(model, sentences, &pointers)
    cdef const SentenceC* s
    cdef vector[Arc] entries
    cdef vector[Arc]* arcs
    cdef uint64_t own_seed = <uint64_t>(int(seed) & 0xFFFFFFFFFFFFFFFF)
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t i
    cdef int k
    first = np.zeros(n_words + 1, dtype=np.int64)
    cdef int64_t[::1] first_view = first
    with nogil:
        model.weights.prepare()
        for s in pointers:
            sampler.sample(s, n_samples, own_seed)
            for k in range(s.length):
                arcs = &sampler.arcs[k]
                for i in range(<Py_ssize_t>arcs.size()):
                    entries.push_back(arcs[0][i])
                at += 1
                first_view[at] = entries.size()
    n_entries = entries.size()
    heads = np.empty(n_entries, dtype=np.int32)
    labels = np.empty(n_entries, dtype=np.int32)
    counts = np.empty(n_entries, dtype=np.int32)
    cdef int32_t[::1] heads_view = heads
    cdef int32_t[::1] labels_view = labels
    cdef int32_t[::1] counts_view = counts
    for i in range(<Py_ssize_t>n_entries):
        heads_view[i] = entries[i].head
        labels_view[i] = entries[i].label
        counts_view[i] = entries[i].count
    return ArcCounts(first, heads, labels, counts)
