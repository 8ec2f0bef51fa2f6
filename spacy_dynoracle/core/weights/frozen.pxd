"""Frozen weights."""
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint64_t
from libcpp cimport bool as cbool

from .scorer cimport Scorer, Scoring


cdef extern from "weights/cpp/frozen_arrays.hpp" namespace "dynoracle" nogil:
    cdef cppclass FineRounding:
        double scale

    cdef cppclass Smallest:
        Smallest()
        Smallest(double least, double scale)

    const int LARGEST_WEIGHT
    const int MAX_KEYS
    double fixed_point_scale(double largest)

    cdef cppclass Bucket:
        pass

    cdef cppclass Line:
        pass

    cdef cppclass BucketTable:
        const Bucket* buckets
        uint64_t size

    cdef cppclass StaticHash:
        const uint16_t* pilots
        uint64_t n_groups
        uint64_t n_lines

    cdef cppclass FrozenArrays:
        BucketTable buckets
        const int8_t* rows
        StaticHash hash
        const Line* lines
        const char* overflow
        const uint8_t* resume
        uint64_t n_rows
        uint64_t n_features
        uint64_t n_overflow_bytes
        uint64_t n_resume_bytes
        int n_actions
        int stride

        void set_actions(int n)
        int n_scores()
        cbool has_keys()

cdef extern from "weights/cpp/frozen_scores.hpp" namespace "dynoracle" nogil:
    cdef cppclass FrozenScores:
        FrozenScores(const FrozenArrays& arrays) except +
        void begin(const uint64_t* keys, int n_keys)
        void write(float unit, float* scores)
        int best(const float* mask, float unit, float* score)

cdef extern from "weights/cpp/frozen_checks.hpp" namespace "dynoracle" nogil:
    cbool are_sound(const FrozenArrays& arrays)

cdef extern from "weights/cpp/frozen_builder.hpp" namespace "dynoracle" nogil:
    cdef cppclass FrozenBuilder:
        FrozenBuilder() except +
        size_t n_features()
        size_t n_parameters()
        cbool finish() except +
        const FrozenArrays& result()


cdef class FrozenWeights(Scorer):
    cdef FrozenArrays c
    cdef readonly double scale
    cdef readonly size_t n_features
    cdef readonly size_t n_parameters
    # By name the memory that `c` points into.
    cdef dict buffers

    @staticmethod
    cdef FrozenWeights from_builder(FrozenBuilder* builder, double scale)
    cdef int check_start(self, int n_actions) except -1
