from .base cimport ArcTransition, LeftArc, Transition


cdef class Shift(Transition):
    pass


cdef class Left(LeftArc):
    pass


cdef class Right(ArcTransition):
    pass
