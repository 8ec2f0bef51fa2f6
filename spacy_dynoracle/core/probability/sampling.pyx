# cython: boundscheck=False, wraparound=False
"""Arcs of sampled derivations.

Sampling derivations by their probabilities (see `greedy`) gives every arc in proportion
to the probability of the derivations that have it.
"""
from libc.stdint cimport uint64_t
from libcpp.algorithm cimport upper_bound
from libcpp.random cimport mt19937_64
from libcpp.vector cimport vector

import numpy as np

from ..hashing cimport mix
from ..model.model cimport Model
from ..random cimport Random
from ..search.base cimport sentences_of
from ..search.rows cimport RowStepper
from ..search.stepper cimport NOTHING, Row, StepperState
from ..softmax cimport LogSum, share_of
from ..state.configuration cimport ConfigurationC, copy_configuration, release
from ..state.sentence cimport SentenceC
from ..systems.actions cimport ScoredTransition
from ..systems.base cimport attach_to_root

from ..results import ArcCounts
from .greedy import temperature_of


cdef struct Arc:
    int head
    int label
    int count


# A derivation that goes on with a transition, and the number of samples that take it.
cdef struct Branch:
    StepperState* state
    ScoredTransition chosen
    int count


cdef class Sampler(RowStepper):
    """Draws derivations; those that begin alike are followed together.

    Attributes:
        arcs: For each word of all sentences what has been drawn.
    """

    cdef Random random
    cdef int root_label
    cdef vector[vector[Arc]] arcs
    # The first word of the sentence among those of all sentences.
    cdef size_t first
    # What has been drawn in the present configuration, and how often.
    cdef vector[Branch] drawn
    # For the first actions of the row whose scores are at hand: the sums of the shares
    # up to each of them.
    cdef vector[double] shares
    cdef vector[Branch] waiting

    def __cinit__(self):
        self.random = Random()

    cdef int sample(
        self, const SentenceC* sentence, int n_samples, uint64_t seed
    ) except -1 nogil:
        """Fill `arcs` for the next sentence."""
        cdef Branch branch
        self.random.engine = mt19937_64(seed_of(sentence, seed))
        self.at = new StepperState()
        self.start(sentence)
        self._follow(n_samples)
        while not self.waiting.empty():
            branch = self.waiting.back()
            self.waiting.pop_back()
            self.at = branch.state
            self.take(branch.chosen)
            self._follow(branch.count)
        self.at = &self.own
        self.first += sentence.length
        return 0

    cdef int _follow(self, int count) except -1 nogil:
        """Go on to the end with some samples, and leave those that part from the first
        of them waiting.
        """
        cdef ScoredTransition best
        cdef size_t i
        while self.look():
            best = self.best()
            if best.action == NOTHING:
                self.take(best)
                continue
            self._draw(count)
            for i in range(1, self.drawn.size()):
                self.drawn[i].state = self._copy()
                self.waiting.push_back(self.drawn[i])
            count = self.drawn[0].count
            self.take(self.drawn[0].chosen)
        attach_to_root(&self.at.c, self.root_label)
        self._record(count)
        release(&self.at.c)
        del self.at
        return 0

    cdef StepperState* _copy(self) except NULL nogil:
        """A copy of the present state."""
        cdef StepperState* copy = new StepperState()
        copy_configuration(&copy.c, &self.at.c)
        copy.rows = self.at.rows
        copy.touched = self.at.touched
        return copy

    cdef int _draw(self, int count) except -1 nogil:
        """Draw an action for every sample."""
        cdef LogSum total = self.total()
        # The only row of other systems has just been looked at.
        cdef int looked_at = 0 if self.system.n_rows(&self.at.c) == 1 else NOTHING
        cdef int row, action
        cdef size_t j
        cdef double u
        cdef ScoredTransition chosen
        self.drawn.clear()
        self.shares.clear()
        for _ in range(count):
            u = self.random.uniform()
            row = self._row_at(total, &u)
            if row != looked_at:
                # The scores of this row have been overwritten by those of others.
                self.look_at(row)
                self.shares.clear()
                looked_at = row
            action = self._action_at(row, u)
            j = 0
            while j < self.drawn.size() and not (
                self.drawn[j].chosen.row == row
                and self.drawn[j].chosen.action == action
            ):
                j += 1
            if j == self.drawn.size():
                chosen = self.actions.scored(row, action, self.scores.data())
                self.drawn.push_back(Branch(state=NULL, chosen=chosen, count=0))
            self.drawn[j].count += 1
        return 0

    cdef int _row_at(self, LogSum total, double* u) noexcept nogil:
        """The row at the share u of the distribution; u becomes a share within it."""
        cdef int row, last = 0
        cdef LogSum own
        cdef double share
        if self.system.n_rows(&self.at.c) == 1:
            return 0
        for row in range(self.system.n_rows(&self.at.c)):
            own = self.row(row).total
            if own.mass == 0:
                continue
            share = own.mass * share_of(total, own.largest)
            last = row
            if u[0] < share:
                u[0] /= share
                return row
            u[0] -= share
        # Only rounding leads here.
        u[0] = 0
        return last

    cdef int _action_at(self, int row, double u) except -1 nogil:
        """The legal action at the share u of the row whose scores are at hand. `shares`
        is extended as far as it is needed.
        """
        cdef const Row* known = self.row(row)
        cdef double total = 0 if self.shares.empty() else self.shares.back()
        cdef int a
        for a in range(<int>self.shares.size(), self.actions.n):
            if total > u:
                break
            if self.legal[a]:
                total += share_of(known.total, self.scores[a] * self.per_temperature)
            self.shares.push_back(total)
        if total <= u:
            # Only rounding leads here.
            return known.best.action
        return <int>(
            upper_bound(self.shares.begin(), self.shares.end(), u)
            - self.shares.begin()
        )

    cdef int _record(self, int count) except -1 nogil:
        """Count the arcs of a terminal configuration."""
        cdef const ConfigurationC* c = &self.at.c
        cdef int k
        cdef size_t i
        cdef vector[Arc]* arcs
        cdef Arc arc
        for k in range(c.length):
            arc.head = c.nodes[k + 1].head
            arc.label = c.nodes[k + 1].label
            arc.count = count
            arcs = &self.arcs[self.first + k]
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
    is in the batch.
    """
    cdef uint64_t value = mix(seed + <uint64_t>0x9E3779B97F4A7C15)
    cdef int k
    for k in range(sentence.n_columns, (sentence.length + 1) * sentence.n_columns):
        value = mix(value * <uint64_t>0xC2B2AE3D27D4EB4F + sentence.atoms[k])
    return value


def sample_arcs(
    Model model not None,
    sentences: Sequence[Sentence],
    int n_samples=64,
    seed=0,
    root_rule: RootRule | None = None,
) -> ArcCounts:
    """Draw derivations of sentences and count their arcs.

    A count divided by n_samples estimates the probability of the arc, without bias.

    Args:
        n_samples: Of each sentence.
        seed: Any integer.
        root_rule: As of `Search.parse`.

    Returns:
        `ArcCounts`.

    Raises:
        ValueError: For a model without a temperature and for less than one sample.
    """
    if n_samples < 1:
        raise ValueError(f"n_samples = {n_samples}: expected at least 1")
    cdef Sampler sampler = Sampler(model, root_rule, temperature_of(model))
    sampler.root_label = model.root_label_id
    cdef vector[const SentenceC*] pointers
    # The pointers are into these objects.
    sentences = list(sentences)
    cdef const SentenceC* s
    cdef uint64_t own_seed = <uint64_t>(int(seed) & 0xFFFFFFFFFFFFFFFF)
    sampler.arcs.resize(sentences_of(model, sentences, &pointers))
    with nogil:
        model.weights.prepare()
        for s in pointers:
            sampler.sample(s, n_samples, own_seed)
    return counts_of(sampler.arcs)


cdef object counts_of(vector[vector[Arc]]& arcs):
    """The arcs of all words as `ArcCounts`."""
    cdef size_t word
    cdef Arc arc
    found = []
    for word in range(arcs.size()):
        for arc in arcs[word]:
            found.append((word, -arc.count, arc.head, arc.label))
    table = np.array(sorted(found), dtype=np.int32).reshape(-1, 4)
    words, counts, heads, labels = table.T.copy()
    first = np.searchsorted(words, np.arange(arcs.size() + 1))
    return ArcCounts(first, heads, labels, -counts)
