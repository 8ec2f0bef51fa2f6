# cython: boundscheck=False, wraparound=False
"""The static oracle: one derivation for each tree."""
from ..configuration cimport ConfigurationC
from ..gold cimport Gold
from ..systems.base cimport MAX_TRANSITIONS, TransitionSystem
from .base cimport Oracle, cheapest


cdef class StaticOracle(Oracle):
    """One transition in each configuration of one derivation of the gold tree.

    variant: which derivation, where the system has several. For arc-eager "shift"
        (Nivre's canonical oracle: REDUCE only where it is needed) or "reduce" (REDUCE
        as soon as possible, called "static" in Goldberg & Nivre 2013).

    Among the transitions that keep the gold tree reachable it takes the one that the
    system prefers most under this variant. Along its own derivation that is the
    classical rule-by-rule oracle; elsewhere it is undefined.

    Source: Goldberg & Nivre 2013, section 4.1; Nivre 2003.
    """

    cdef readonly str variant
    cdef int[MAX_TRANSITIONS] preference

    def __cinit__(self, variant="reduce"):
        self.complete = False
        self.needs_full_tree = True
        self.variant = variant

    cdef int prepare(self, TransitionSystem system) except -1:
        preferences = system.static_preferences
        if self.variant not in preferences:
            raise ValueError(
                f"{type(system).__name__} has no static oracle {self.variant!r}: "
                f"expected variant = one of {', '.join(map(repr, preferences))}"
            )
        for i in range(MAX_TRANSITIONS):
            self.preference[i] = -1
        for i, name in enumerate(preferences[self.variant]):
            self.preference[i] = system.find(name)
        return 0

    cdef unsigned int correct_set(
        self,
        TransitionSystem system,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) noexcept nogil:
        cdef int i, t
        cdef unsigned int correct = cheapest(system, c, gold, legal)
        for i in range(MAX_TRANSITIONS):
            t = self.preference[i]
            if t >= 0 and correct >> t & 1:
                return 1u << t
        # Only forced transitions without a preference (such as UNSHIFT) are left.
        return correct

    def __reduce__(self):
        return StaticOracle, (self.variant,)

    def __repr__(self):
        return f"StaticOracle(variant={self.variant!r})"
