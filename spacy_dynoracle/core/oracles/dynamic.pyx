# cython: boundscheck=False, wraparound=False
"""The dynamic oracle: non-deterministic and complete."""
from .base cimport Oracle


cdef class DynamicOracle(Oracle):
    """o_d(c, T) = {legal t : C(t; c, T) = 0}, for every configuration c.

    Where a gold tree cannot be derived by the system at all (non-projective trees),
    the transitions of least cost.

    Source: Goldberg & Nivre 2013, section 4.1.
    """

    def __cinit__(self):
        self.complete = True
        self.needs_full_tree = False
