# cython: boundscheck=False, wraparound=False
"""What every oracle offers (Goldberg & Nivre 2013, section 4.1)."""
from ..configuration cimport Configuration, ConfigurationC
from ..gold cimport Gold, GoldTree
from ..systems.base cimport TransitionSystem


cdef unsigned int cheapest(
    TransitionSystem system,
    const ConfigurationC* c,
    const Gold* gold,
    unsigned int legal,
) noexcept nogil:
    """The legal transitions with the least cost.

    It is 0 wherever the known gold arcs can be extended to a projective tree. For
    other gold trees the minimum stands in for zero.
    """
    cdef unsigned int found = 0
    cdef int t, cost
    cdef int least = 0x7FFFFFFF
    for t in range(system.n_transitions):
        if legal >> t & 1:
            cost = system.cost_of(t, c, gold)
            if cost < least:
                least = cost
                found = 0
            if cost == least:
                found |= 1u << t
    return found


cdef class Oracle:
    """Tells which transitions are correct in a configuration, given the gold tree.

    complete: whether the oracle is defined for every configuration, as exploration
        requires.
    needs_full_tree: whether it is defined only for complete, projective gold trees.
    """

    cdef int prepare(self, TransitionSystem system) except -1:
        """Called once before training; raises ValueError for an unfit system."""
        return 0

    cdef unsigned int correct_set(
        self,
        TransitionSystem system,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) noexcept nogil:
        """The correct ones among the legal transitions, labels left aside: all that
        cost least, unless an oracle is more particular."""
        return cheapest(system, c, gold, legal)

    def correct(
        self,
        TransitionSystem system not None,
        Configuration c not None,
        GoldTree gold not None,
    ):
        """The names of the correct transitions in a configuration.

        Raises ValueError where the oracle is not defined for the system or the tree.
        """
        self.prepare(system)
        if self.needs_full_tree and not (gold.complete and gold.projective):
            raise ValueError(
                f"{type(self).__name__} needs a complete projective tree, got {gold!r}"
            )
        if system.terminal(&c.c):
            return set()
        cdef unsigned int correct = self.correct_set(
            system, &c.c, &gold.gold, system.legal_set(&c.c)
        )
        return {
            name
            for t, name in enumerate(system.transition_names)
            if correct >> <unsigned int>t & 1
        }

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"
