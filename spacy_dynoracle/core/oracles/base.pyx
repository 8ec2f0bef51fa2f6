# cython: boundscheck=False, wraparound=False
"""Oracles (Goldberg & Nivre 2013, section 4.1): what every oracle offers, and those
that take all transitions of least cost.
"""
from ..state.configuration cimport Configuration


cdef class Oracle:
    """Tells which transitions are correct in a configuration, given the gold tree.

    Attributes:
        complete: Whether the oracle is defined for every configuration, as exploration
            requires.
        needs_full_tree: Whether it is defined only for complete gold trees that the
            system can derive.
    """

    complete = False
    needs_full_tree = False

    def prepare(self, TransitionSystem system not None) -> None:
        """Called once before training; raises ValueError for an unfit system."""

    cdef unsigned int correct_set(
        self,
        Costs costs,
        const ConfigurationC* c,
        const Gold* gold,
        unsigned int legal,
    ) except? 0 nogil:
        """The legal transitions of least cost, labels left aside, less those that
        `TransitionTable.to_learn` removes; a static oracle keeps one of them.

        The least cost is 0 wherever the known gold arcs can be extended to a projective
        tree. For other gold trees the minimum stands in for zero.
        """
        cdef unsigned int found = 0
        cdef int t, cost
        cdef int least = 0x7FFFFFFF
        if legal & (legal - 1) == 0:
            # There is nothing to compare.
            return legal
        for t in range(costs.system.n_transitions):
            if legal >> t & 1:
                cost = costs.cost(t, c, gold)
                if cost < least:
                    least = cost
                    found = 0
                if cost == least:
                    found |= 1u << t
        return costs.system.to_learn(found, c, gold)

    def correct(
        self,
        TransitionSystem system not None,
        Configuration c not None,
        GoldTree gold not None,
    ) -> set[str]:
        """The names of the correct transitions in a configuration; in an easy-first
        system, those for the pair in focus, of which there may be none.

        Raises:
            ValueError: Where the oracle is not defined for the system or the tree.
        """
        self.prepare(system)
        check_tree(system, self, gold)
        if system.terminal(&c.c) or not self._is_among_cheapest(system, c, gold):
            return set()
        return set(system.names_in(self.correct_set(
            system.new_costs(), &c.c, &gold.gold, system.legal_set(&c.c)
        )))

    def _is_among_cheapest(
        self, TransitionSystem system, Configuration c, GoldTree gold
    ):
        """Whether no other row has a cheaper transition than the one in focus."""
        cdef Configuration others = c.copy()
        cdef int row
        own = system.costs(c, gold)
        least = []
        for row in range(system.n_rows(&others.c)):
            system.focus_row(&others.c, row)
            least += system.costs(others, gold).values()
        return bool(own) and min(own.values()) == min(least)

    def __reduce__(self):
        return type(self), ()

    def __repr__(self):
        return f"{type(self).__name__}()"


cdef int check_tree(TransitionSystem system, Oracle oracle, GoldTree gold) except -1:
    """Raise ValueError if costs or oracle are not defined for a gold tree."""
    if not gold.complete and (oracle.needs_full_tree or system.needs_full_tree):
        raise ValueError(
            f"{oracle!r} with {system!r} needs the head of every word, got {gold!r}"
        )
    if oracle.needs_full_tree and system.projective and not gold.projective:
        raise ValueError(
            f"{oracle!r} with {system!r} needs projective trees, got {gold!r}"
        )
    return 0


cdef class NonDeterministicOracle(Oracle):
    """All transitions that keep the gold tree reachable.

    The same set as that of the dynamic oracle where the gold tree can still be
    reached, and undefined everywhere else: training follows it and never explores.

    Source: Goldberg & Nivre 2013, section 4.1.
    """


cdef class DynamicOracle(Oracle):
    """o_d(c, T) = {legal t : C(t; c, T) = 0}, for every configuration c.

    Where a gold tree cannot be derived by the system at all (non-projective trees),
    the transitions of least cost.

    Source: Goldberg & Nivre 2013, section 4.1.
    """

    complete = True
