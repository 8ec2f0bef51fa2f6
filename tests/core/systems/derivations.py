"""Following a derivation, with the costs of everything that is legal."""

from ..builders import take


def assert_derivation(system, gold, steps, c=None):
    """Carry out the steps, each with the costs of all legal transitions before it."""
    c = system.initial(len(gold)) if c is None else c
    for name, costs in steps:
        assert system.costs(c, gold) == costs, c
        assert list(costs) == system.legal(c)
        system.apply(c, name)
    return c


def assert_easy_derivation(system, gold, steps, c=None):
    """Carry out the steps (pair, transition, costs), where costs are those of every
    legal transition, for each pair in turn.
    """
    c = system.initial(len(gold)) if c is None else c
    for pair, name, costs in steps:
        assert costs_of_pairs(system, c, gold) == costs, c
        take(system, c, pair, name)
    return c


def costs_of_pairs(system, c, gold):
    """The costs of the legal transitions of each pair, from the left."""
    c, found = c.copy(), []
    for pair in range(1, len(c.stack) + len(c.buffer)):
        system.focus(c, pair)
        found.append(system.costs(c, gold))
        assert list(found[-1]) == system.legal(c)
    return found
