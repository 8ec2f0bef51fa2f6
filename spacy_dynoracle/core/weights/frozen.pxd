"""The weights of a finished model."""
from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libcpp cimport bool as cbool

from .scorer cimport Scorer


cdef extern from "weights/cpp/frozen_rows.hpp" namespace "dynoracle" nogil:
    cdef cppclass FixedPoint:
        double scale
        int operator()(double weight)

    const int LARGEST_WEIGHT
    const int MAX_KEYS "dynoracle::FrozenRows::MAX_KEYS"
    double fixed_point_scale(double largest)

    cdef cppclass FrozenSlot:
        pass

    cdef cppclass FrozenRows:
        const FrozenSlot* slots
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
        void sum_scores(
            const uint64_t* keys, int n_keys, float unit, float* scores
        )
        void sum_scores(
            const uint64_t* keys,
            int n_keys,
            float unit,
            float* scores,
            cbool vectorized,
        )
        void for_each[Visit](Visit visit)
        cbool is_sound()

cdef extern from "weights/cpp/frozen_builder.hpp" namespace "dynoracle" nogil:
    cdef cppclass FrozenRowsBuilder:
        FrozenRowsBuilder(int n_actions) except +
        void add(uint64_t key, int action, int value)
        size_t n_features()
        size_t n_parameters()
        cbool finish() except +
        const FrozenRows& result()


cdef class FrozenWeights(Scorer):
    cdef FrozenRows rows
    cdef readonly double scale
    cdef readonly size_t n_features
    cdef readonly size_t n_parameters
    # Keeps the memory alive that `rows` points into.
    cdef object buffers

    @staticmethod
    cdef FrozenWeights from_builder(FrozenRowsBuilder* builder, double scale)
