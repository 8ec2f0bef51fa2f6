"""The weights of a finished model."""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp cimport bool as cbool

from .scorer cimport Scorer, Scoring


cdef extern from "weights/cpp/frozen_rows.hpp" namespace "dynoracle" nogil:
    cdef cppclass FineNumber:
        double scale
        int operator()(double weight)

    const int LARGEST_WEIGHT
    const int MAX_KEYS "dynoracle::FrozenRows::MAX_KEYS"
    double fixed_point_scale(double largest)
    cbool has_vectors()
    int stride_for(int n_actions)
    int most_without_row(int n_actions)

    cdef cppclass Bucket:
        pass

    cdef cppclass Line:
        pass

    cdef cppclass BucketTable:
        const Bucket* buckets
        uint64_t size

    cdef cppclass StaticHash:
        const uint16_t* pilots
        uint64_t n_buckets
        uint64_t n_lines

    cdef cppclass FrozenRows:
        BucketTable common
        const int8_t* rows
        StaticHash hash
        const Line* lines
        const char* lists
        const uint8_t* highs
        uint64_t n_rows
        uint64_t n_features
        uint64_t n_list_bytes
        uint64_t n_high_bytes
        int n_actions
        int stride
        cbool wide

        @staticmethod
        cbool wide_for(int n_actions)
        int n_scores()
        void for_each[Visit](Visit visit)
        cbool is_sound()

cdef extern from "weights/cpp/frozen_scores.hpp" namespace "dynoracle" nogil:
    cdef cppclass FrozenScores:
        FrozenScores(const FrozenRows& model, cbool vectorized)
        void begin(const uint64_t* keys, int n_keys)
        void write(float unit, float* scores)
        int best(const float* mask, float unit, float* score)

    void write_scores(
        const FrozenRows& model,
        const uint64_t* keys,
        int n_keys,
        float unit,
        float* scores,
        cbool vectorized,
    )

cdef extern from "weights/cpp/frozen_checks.hpp" namespace "dynoracle" nogil:
    pass

cdef extern from "weights/cpp/frozen_builder.hpp" namespace "dynoracle" nogil:
    cdef cppclass FrozenRowsBuilder:
        FrozenRowsBuilder(int n_actions) except +
        void set_smallest(int smallest)
        void add(uint64_t key, int action, int value)
        size_t n_features()
        size_t n_parameters()
        cbool finish() except +
        const FrozenRows& result()

cdef extern from "weights/cpp/old_rows.hpp" namespace "dynoracle" nogil:
    cdef cppclass OldSlot:
        pass

    cdef cppclass OldRows:
        const OldSlot* slots
        const uint16_t* highs
        const char* rows
        uint64_t n_slots
        uint64_t n_dense_slots
        uint64_t n_row_bytes
        uint32_t multiplier
        int n_actions
        int stride
        cbool wide

        @staticmethod
        int stride_for(int n_actions)

        @staticmethod
        cbool wide_for(int n_actions)
        cbool is_sound()

    int add_old_rows(const OldRows& rows, FrozenRowsBuilder& builder) except +


cdef class FrozenWeights(Scorer):
    cdef FrozenRows rows
    cdef cbool vectorized
    cdef readonly double scale
    cdef readonly size_t n_features
    cdef readonly size_t n_parameters
    # By name the memory that `rows` points into.
    cdef dict buffers

    @staticmethod
    cdef FrozenWeights from_builder(FrozenRowsBuilder* builder, double scale)


cdef class FrozenScoring(Scoring):
    cdef FrozenScores* frozen
    cdef float unit
