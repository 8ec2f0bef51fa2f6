"""Weights in training."""
from libc.stdint cimport uint64_t

from .frozen cimport FrozenBuilder, Smallest


cdef extern from "weights/cpp/training_rows.hpp" namespace "dynoracle" nogil:
    cdef cppclass TrainingRows[Hot, Cold]:
        cppclass Entry:
            Entry()
            Hot* hot
            Cold* cold

        TrainingRows(int n_actions, int min_updates) except +
        int stride()
        void resize(int n_actions) except +
        Entry entry(uint64_t key, int action)
        double largest[Value](Value value)
        void freeze[Value](
            Value value, int n_actions, Smallest smallest, FrozenBuilder& builder
        ) except +
        void set_scores[Value](
            const uint64_t* keys, int n_keys, float* scores, Value value
        )
        void set_frozen_scores[Value](
            const uint64_t* keys,
            int n_keys,
            int n_actions,
            Smallest smallest,
            float* scores,
            Value value,
        )
