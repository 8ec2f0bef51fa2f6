from .base cimport ArcTransition, LeftArc, Push


cdef class Shift(Push):
    pass


cdef class Left(LeftArc):
    pass


cdef class Right(ArcTransition):
    pass
