from .base cimport TransitionSystem


cdef class ArcEager(TransitionSystem):
    pass
