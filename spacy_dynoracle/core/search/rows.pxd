from libc.stdint cimport uint64_t

from ..model.model cimport Model
from ..systems.actions cimport ScoredTransition
from .stepper cimport Row, Stepper


cdef class RowStepper(Stepper):
    cdef Row* row(self, int row) noexcept nogil
    cdef int look_at(self, int row) except -1 nogil
    cdef void score(self, int slot) noexcept nogil
    cdef uint64_t* keys_of(self, int slot) noexcept nogil
    cdef float* scores_of(self, int slot) noexcept nogil
    cdef unsigned int legal_set(self) except? -1 nogil


cdef class KeepingRowsStepper(RowStepper):
    pass


cdef Stepper stepper_of(Model model, root_rule, temperature=*)
