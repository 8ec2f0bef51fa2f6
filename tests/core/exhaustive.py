"""Costs by exhaustive search: for any system that goes from left to right."""

from spacy_dynoracle import GoldTree

from .builders import all_trees


def check_costs(system, n):
    """Compare every cost with its definition: in every configuration that derivations
    over n words reach, for every projective tree that the system can derive.
    """
    one = system.single_root
    for heads in all_trees(n, projective=True, single_root=bool(one)):
        _check_costs(system, heads)


def _check_costs(system, heads):
    gold, loss = GoldTree(heads), _least_losses(system, heads)
    agenda, seen = [system.initial(len(heads))], set()
    while agenda:
        c = agenda.pop()
        if _key(c) in seen:
            continue
        seen.add(_key(c))
        costs = system.costs(c, gold)
        for name, after in _successors(system, c):
            assert costs[name] == loss(after) - loss(c), (c, name, heads)
            agenda.append(after)


def _key(c):
    return c.stack, c.buffer, c.heads, c.marked


def _successors(system, c):
    for name in system.legal(c):
        after = c.copy()
        system.apply(after, name)
        yield name, after


def _least_losses(system, gold):
    """The number of wrong arcs that no continuation of a configuration can avoid."""

    def loss(c):
        if _key(c) not in known:
            if system.is_terminal(c):
                end = c.copy()
                system.finish(end)
                known[_key(c)] = sum(
                    a != b for a, b in zip(end.heads, gold, strict=True)
                )
            else:
                known[_key(c)] = min(loss(after) for _, after in _successors(system, c))
        return known[_key(c)]

    known = {}
    return loss
