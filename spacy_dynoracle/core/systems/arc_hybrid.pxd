from ..state.configuration cimport ConfigurationC
from ..state.gold cimport Gold
from .base cimport Arc


cdef class Shift:
    @staticmethod
    cdef bint legal(const ConfigurationC* c) noexcept nogil

    @staticmethod
    cdef void apply(ConfigurationC* c, int label) noexcept nogil

    @staticmethod
    cdef int cost(const ConfigurationC* c, const Gold* gold) noexcept nogil


cdef class Left:
    @staticmethod
    cdef bint legal(const ConfigurationC* c) noexcept nogil

    @staticmethod
    cdef void apply(ConfigurationC* c, int label) noexcept nogil

    @staticmethod
    cdef int cost(const ConfigurationC* c, const Gold* gold) noexcept nogil

    @staticmethod
    cdef Arc arc(const ConfigurationC* c) noexcept nogil


cdef class Right:
    @staticmethod
    cdef bint legal(const ConfigurationC* c) noexcept nogil

    @staticmethod
    cdef void apply(ConfigurationC* c, int label) noexcept nogil

    @staticmethod
    cdef int cost(const ConfigurationC* c, const Gold* gold) noexcept nogil

    @staticmethod
    cdef Arc arc(const ConfigurationC* c) noexcept nogil
