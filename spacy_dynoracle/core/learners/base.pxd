from libc.stdint cimport uint64_t

from ..scorer cimport Scorer


cdef class Learner(Scorer):
    cdef void update(
        self,
        const uint64_t* keys,
        int n_keys,
        int predicted,
        int target,
        const char* correct,
    ) noexcept nogil
    cdef void update_between(
        self,
        const uint64_t* predicted_keys,
        int n_predicted_keys,
        int predicted,
        const uint64_t* target_keys,
        int n_target_keys,
        int target,
    ) noexcept nogil
    cdef void skip(self) noexcept nogil
    cdef void prepare_public(self) noexcept nogil
    cdef void score_public(
        self, const uint64_t* keys, int n_keys, float* scores
    ) noexcept nogil


cdef class PublicView(Scorer):
    cdef readonly Learner learner
