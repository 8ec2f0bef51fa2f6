"""The ranker of a finished model."""
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from ..state.sentence cimport Sentence, SentenceC
from .extractor cimport PartExtractor
from .parts cimport PartFinder, TreeWorkspace


cdef extern from "reranking/weights.hpp" namespace "dynoracle" nogil:
    cdef cppclass RankingWeights:
        size_t size()
        double sum(const uint64_t* keys, int n_keys)
        void add(uint64_t key, double delta, double time) except +

    cdef struct KeyWeight:
        pass

    cdef struct FrozenWeight:
        uint32_t fingerprint
        float weight

    cdef cppclass FrozenTable "dynoracle::FrozenTable<dynoracle::FrozenWeight>":
        const FrozenWeight* slots
        uint64_t size

    cdef cppclass FrozenRankingWeights:
        FrozenTable table
        double sum(const uint64_t* keys, int n_keys)

        @staticmethod
        size_t slots_for(size_t n_weights)

        @staticmethod
        vector[KeyWeight] largest(
            const RankingWeights& weights, double n, size_t limit
        ) except +

        @staticmethod
        void fill(
            const vector[KeyWeight]& weights, FrozenWeight* slots, uint64_t n_slots
        )


cdef int check_candidates(
    PartFinder finder, Sentence sentence, candidates
) except -1
cdef void add_up(TreeWorkspace work, double* scores) noexcept nogil


cdef class Ranker:
    cdef readonly PartFinder finder
    cdef readonly PartExtractor extractor
    cdef readonly object slots
    cdef readonly double alpha
    cdef readonly size_t n_features
    cdef FrozenRankingWeights weights

    cdef int score_trees(
        self,
        const SentenceC* sentence,
        const int32_t* heads,
        const int32_t* labels,
        Py_ssize_t n_trees,
        TreeWorkspace work,
        double* scores,
    ) except -1 nogil
