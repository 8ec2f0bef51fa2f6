# cython: boundscheck=False, wraparound=False
"""Scores of configurations that look alike, computed once.

What a model sees of a configuration are the atoms of its feature templates. Many
configurations of a beam have the same ones, because they differ in what was done long
ago: they have the same scores. A small table remembers the last scores for each hash of
the atoms, so that its size does not depend on the length of the text.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy

from ..state.configuration cimport ConfigurationC
from ..features.extractor cimport Extractor
from ..hashing cimport mix
from ..weights.scorer cimport Scorer
from ..state.sentence cimport SentenceC

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


cdef class ScoreMemo:
    """Scores under weights that do not change between two calls of `forget`.

    n_places: how many rows of scores it holds, a power of 2. n_asked, n_scored: how
    often scores were wanted, and how often they had to be computed.
    """

    def __cinit__(self, Extractor extractor not None, Scorer weights not None,
                  int n_places):
        self.extractor = extractor
        self.weights = weights
        self.n_slots = extractor.n_slots
        self.n_places = n_places
        self.round = 1
        self.rounds.resize(n_places)
        self.contexts.resize(<size_t>n_places * self.n_slots)
        self.fit()

    cdef int fit(self) except -1:
        """Make room for all actions of the scorer, which may have become more."""
        self.n_scores = self.weights.n_scores()
        self.rows.resize(<size_t>self.n_places * self.n_scores)
        self.forget()
        return 0

    cdef void forget(self) noexcept nogil:
        """Called when the weights have changed, and for a new sentence."""
        self.round += 1

    cdef const float* scores(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) noexcept nogil:
        """The scores of all actions; valid until the next call."""
        cdef uint64_t hashed = 0
        cdef uint64_t* context
        cdef float* row
        cdef int i, n_keys
        self.extractor.fill_context(c, sentence, self.context)
        for i in range(self.n_slots):
            hashed = (hashed + self.context[i]) * FACTOR
            hashed ^= hashed >> 29
        self.place = mix(hashed) & <uint64_t>(self.n_places - 1)
        context = self.contexts.data() + self.place * self.n_slots
        row = self.rows.data() + self.place * self.n_scores
        self.n_asked += 1
        self.is_new = self.rounds[self.place] != self.round or memcmp(
            context, self.context, sizeof(uint64_t) * self.n_slots
        )
        if not self.is_new:
            return row
        self.n_scored += 1
        n_keys = self.extractor.keys_of(self.context, self.keys)
        self.weights.score(self.keys, n_keys, row)
        memcpy(context, self.context, sizeof(uint64_t) * self.n_slots)
        self.rounds[self.place] = self.round
        return row
