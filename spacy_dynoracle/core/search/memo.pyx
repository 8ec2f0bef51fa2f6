# cython: boundscheck=False, wraparound=False
"""A memory of scores for configurations with equal features.

A model reads only the atoms of its feature templates from a configuration. Many
configurations of a beam have equal atoms, because they differ only in early
transitions. They therefore have equal scores. A small table keeps the latest scores by
the hash of the atoms. Its size does not depend on the length of the text.
"""
from libc.string cimport memcmp, memcpy

from ..hashing cimport mix
from ..model.model cimport Classifier


cdef class ScoreMemo:
    """Keeps scores. The weights must not change between two calls of `forget`.

    Args:
        n_places: Number of rows of scores, a power of 2.
    """

    def __cinit__(self, Classifier model not None, int n_places):
        self.extractor = model.extractor
        self.weights = model.weights
        self.scoring = model.weights.new_scoring()
        self.n_places = n_places
        # An odd factor for each place tells equal atoms in different places apart.
        for i in range(self.extractor.n_slots):
            self.factors.push_back(mix(<uint64_t>i + 1) | 1)
        self.round = 1
        self.rounds.resize(n_places)
        self.contexts.resize(<size_t>n_places * self.extractor.n_slots)
        self.fit()

    cdef int fit(self) except -1:
        """Make room for all actions of the scorer, whose number may have grown."""
        self.n_scores = self.weights.n_scores()
        self.rows.resize(<size_t>self.n_places * self.n_scores)
        self.forget()
        return 0

    cdef void forget(self) noexcept nogil:
        """Forget all scores.

        Call it after a change of the weights and for a new sentence.
        """
        self.round += 1

    cdef const float* scores(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) noexcept nogil:
        """The scores of all actions. They are valid until the next call."""
        self.begin(c, sentence)
        return self.finish()

    cdef bint begin(
        self, const ConfigurationC* c, const SentenceC* sentence
    ) noexcept nogil:
        """Look for the scores, and begin to make them if they are not there.

        Meanwhile memory arrives that `finish` needs.

        Returns:
            Whether they are new.
        """
        cdef uint64_t hashed = 0
        cdef uint64_t* context
        cdef int i, n_keys
        self.extractor.fill_context(c, sentence, self.context)
        for i in range(self.extractor.n_slots):
            hashed += self.context[i] * self.factors[i]
        self.place = mix(hashed) & <uint64_t>(self.n_places - 1)
        context = self.contexts.data() + self.place * self.extractor.n_slots
        self.is_new = self.rounds[self.place] != self.round or memcmp(
            context, self.context, sizeof(uint64_t) * self.extractor.n_slots
        )
        if self.is_new:
            n_keys = self.extractor.keys_of(self.context, self.keys)
            self.scoring.begin(self.keys, n_keys)
            memcpy(context, self.context, sizeof(uint64_t) * self.extractor.n_slots)
            self.rounds[self.place] = self.round
        return self.is_new

    cdef float* finish(self) noexcept nogil:
        """The scores that `begin` was asked for, valid until the next call."""
        cdef float* row = self.rows.data() + self.place * self.n_scores
        if self.is_new:
            self.scoring.write(row)
        return row
