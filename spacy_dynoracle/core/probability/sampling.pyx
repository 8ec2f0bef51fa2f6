# cython: boundscheck=False, wraparound=False
"""Arcs of sampled derivations.

Sampling derivations by their probabilities gives every arc in proportion to the
probability of the derivations that have it (see `walker`).
"""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.random cimport mt19937_64
from libcpp.vector cimport vector

import numpy as np

from ..hashing cimport mix
from ..model.model cimport Model
from ..random cimport Random
from ..search.base cimport Choice, sentences_of
from ..state.sentence cimport SentenceC
from ..softmax cimport LogSum, share_of
from ..systems.base cimport attach_to_root
from ..systems.easy_first cimport n_pairs
from .walker cimport State, Walker

from ..results import ArcCounts


cdef struct Arc:
    int head
    int label
    int count


cdef bint comes_first(const Arc& a, const Arc& b) noexcept nogil:
    if a.count != b.count:
        return a.count > b.count
    return a.head < b.head if a.head != b.head else a.label < b.label


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

    def __init__(self, Model model not None, root_rule=None):
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
        # 0 is what other systems have for a pair: its scores are at hand.
        cdef int looked_at = 0
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
            if pair != looked_at:
                # The scores of this pair have been overwritten by those of others.
                self.look(state, sentence, pair, pair)
                looked_at = pair
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


def sample_arcs(
    Model model not None, sentences, int n_samples=64, seed=0, root_rule=None
):
    """Draw derivations of sentences and count their arcs.

    n_samples: of each sentence. seed: any integer. root_rule: as of `Search.parse`.

    A count divided by n_samples estimates the probability of the arc, without bias.

    Returns `ArcCounts`. Raises ValueError for a model without a temperature and for
    less than one sample.
    """
    if n_samples < 1:
        raise ValueError(f"n_samples = {n_samples}: expected at least 1")
    cdef Sampler sampler = Sampler(model, root_rule)
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
