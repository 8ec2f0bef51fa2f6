"""Scores of whole trees, and the ranker of a trained model."""
from libc.stdint cimport int32_t, uint32_t, uint64_t

from ..core.state.sentence cimport Sentence, SentenceC
from .extractor cimport PartExtractor
from .parts cimport PartFinder, TreeWorkspace


cdef extern from "weights.hpp" namespace "dynoracle" nogil:
    cdef cppclass RankingWeights:
        size_t size()
        double sum(const uint64_t* keys, int n_keys)
        void add(uint64_t key, double delta, double time) except +
        void averages(double n, uint64_t* keys, float* weights)

    cdef struct FrozenWeight:
        uint32_t fingerprint
        float weight

    cdef cppclass FrozenRankingWeights:
        const FrozenWeight* slots
        uint64_t size
        double sum(const uint64_t* keys, int n_keys)

        @staticmethod
        void fill(
            const uint64_t* keys,
            const float* weights,
            size_t n_weights,
            FrozenWeight* slots,
            uint64_t size,
        )


cdef class TreeScorer:
    cdef readonly PartFinder finder
    cdef readonly PartExtractor extractor

    cdef int check_candidates(self, Sentence sentence, candidates) except -1
    cdef double weight_of(self, const uint64_t* keys, int n_keys) noexcept nogil
    cdef int score_trees(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        const int32_t* losses,
        Py_ssize_t n_trees,
        int least,
        TreeWorkspace work,
    ) except -1 nogil


cdef class Ranker(TreeScorer):
    cdef readonly object array
    cdef readonly double alpha
    cdef readonly size_t n_features
    cdef FrozenRankingWeights weights
