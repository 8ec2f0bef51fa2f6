# cython: boundscheck=False, wraparound=False
"""The non-deterministic, incomplete oracle."""
from .base cimport Oracle


cdef class NonDeterministicOracle(Oracle):
    """All transitions that keep the gold tree reachable.

    The same set as that of the dynamic oracle where the gold tree can still be
    reached, and undefined everywhere else: training follows it and never explores.

    Source: Goldberg & Nivre 2013, section 4.1.
    """

    def __cinit__(self):
        self.complete = False
        self.needs_full_tree = False
