"""The static-dynamic oracle of arc-hybrid with SWAP, a second time.

De Lhoneux, Stymne & Nivre (2017). A state is (c, attainable): a configuration of the
reference and the gold arcs that are still counted on, which is maintained along the
derivation as published, not computed from c. Gold trees are tuples of heads.
"""

from functools import cache

from .reference_systems import ROOT


@cache
def projective_order(gold):
    """{node: its place in the in-order traversal of the gold tree}, ROOT last."""

    def in_order(node):
        dependents = [d for d, head in enumerate(gold, 1) if head == node]
        for d in dependents:
            if d < node:
                yield from in_order(d)
        yield node
        for d in dependents:
            if d > node:
                yield from in_order(d)

    places = {node: place for place, node in enumerate(in_order(ROOT))}
    return {**places, ROOT: len(places)}


def _comes_back(c, order):
    """Whether b has a later word in the buffer that belongs before it."""
    b, *beta = c[1]
    return any(x > b and order[x] < order[b] for x in beta)


def start(system, gold):
    """The state at the beginning: every gold arc is attainable."""
    arcs = frozenset((head, d) for d, head in enumerate(gold, 1))
    return system.initial(len(gold)), arcs


def _broken(state, transition, gold):
    """The attainable arcs that a transition other than SWAP makes unattainable."""
    (stack, buffer, _), attainable = state
    b = buffer[0]
    if transition == "SHIFT":
        if _comes_back(state[0], projective_order(gold)):
            return set()
        arcs = {(b, d) for d in stack} | {(h, b) for h in stack[:-1]}
    else:
        s0 = stack[-1]
        new_head = b if transition == "LEFT" else stack[-2]
        arcs = {(h, d) for h, d in attainable if h == s0}
        arcs |= {(h, d) for h, d in attainable if d == s0 and h != new_head}
    return arcs & attainable


def costs(system, state, gold):
    """{transition: cost} for the legal transitions."""
    (stack, buffer, _), _ = state
    legal = [name for name, _, _ in system.successors(state[0])]
    order = projective_order(gold)
    found = {name: len(_broken(state, name, gold)) for name in legal if name != "SWAP"}
    if "SWAP" in legal:
        found["SWAP"] = 1
        if order[stack[-1]] > order[buffer[0]]:
            return {name: 1 if name != "SWAP" else 0 for name in legal}
    return found


def follow(system, state, transition, gold):
    """The state after a transition."""
    c, attainable = state
    (after,) = (a for name, _, a in system.successors(c) if name == transition)
    if transition == "SWAP":
        return after, attainable
    kept = attainable - _broken(state, transition, gold)
    if transition != "SHIFT":
        kept -= {(h, d) for h, d in kept if d == c[0][-1]}
    return after, kept
