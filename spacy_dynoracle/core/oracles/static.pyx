# cython: boundscheck=False, wraparound=False
"""The static oracle: one derivation for each tree."""
from libcpp.vector cimport vector

from ..state.configuration cimport ConfigurationC
from ..state.gold cimport Gold
from ..systems.base cimport Costs, TransitionSystem
from .base cimport Oracle


cdef class StaticOracle(Oracle):
    """One transition in each configuration of one derivation of the gold tree.

    Among the transitions that keep the gold tree reachable it takes the one that the
    system prefers most under this variant. Along its own derivation that is the
    classical rule-by-rule oracle; elsewhere it is undefined.

    Source: Goldberg & Nivre 2013, section 4.1; Nivre 2003.

    Args:
        variant: Which derivation, where the system has several; None for the system's
            canonical one, which is named first here. Arc-eager: "reduce" (REDUCE as
            soon as possible, called "static" in Goldberg & Nivre 2013) or "shift"
            (REDUCE only where it is needed: Nivre's oracle). Arc-hybrid: "right" (RIGHT
            as soon as possible) or "shift". Arc-standard: "left-first" (LEFT as soon as
            possible) or "left-last" (LEFT when the head has all of its right
            dependents).
    """

    needs_full_tree = True

    cdef readonly object variant  # type: str | None
    cdef vector[int] preference

    def __cinit__(self, variant: str | None = None):
        self.variant = variant

    def prepare(self, TransitionSystem system not None) -> None:
        preferences = system.static_preferences
        if not preferences:
            raise ValueError(
                f"{type(system).__name__} has no static oracle: use "
                f"NonDeterministicOracle, which is incomplete too, or DynamicOracle"
            )
        variant = next(iter(preferences)) if self.variant is None else self.variant
        if variant not in preferences:
            raise ValueError(
                f"{type(system).__name__} has no static oracle {variant!r}: "
                f"expected variant = one of {', '.join(map(repr, preferences))}"
            )
        self.preference = preferences[variant]

    cdef unsigned int correct_set(
        self,
        Costs costs,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) except? 0 nogil:
        cdef int t
        cdef unsigned int correct = Oracle.correct_set(self, costs, c, gold, legal)
        correct = costs.system.by_transition(correct, c, gold)
        for t in self.preference:
            if correct >> t & 1:
                return 1u << t
        # Only forced transitions without a preference (such as UNSHIFT) are left.
        return correct

    def __reduce__(self):
        return StaticOracle, (self.variant,)

    def __repr__(self):
        return f"StaticOracle(variant={self.variant!r})"
