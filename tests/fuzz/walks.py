"""Random derivations of every transition system, with gold trees of all kinds.

At each step there is a legal transition, and the transitions with the least cost are
correct. Arcs stay, and are added one at a time by the transitions that can add them;
non-monotonic arc-eager may replace them, and takes only some of the transitions with
the least cost for correct. At the end there is a tree, projective if the system is.
Costs are not negative and their sum is the loss, except for gold trees that a system
cannot derive, where they are estimates.
"""

from __future__ import annotations

import random
from pathlib import Path

from spacy_dynoracle import (
    ArcEager,
    Covington,
    DynamicOracle,
    GoldTree,
    NonMonotonicArcEager,
)

from ..core.builders import (
    SYSTEMS,
    is_projective_tree,
    is_tree,
    options,
    restricted,
    take,
)
from ..core.random_models import random_heads
from .surface import Case, Limits

UNIT = "transitions"
SHORT = 200
LIMITS = Limits()
LABELS = ("a", "b", None)


def prepare(directory: Path) -> None:
    """Nothing is needed."""


def cases(directory: Path) -> Case:
    """A derivation of a random system."""
    return walk


def walk(rng: random.Random) -> int:
    """A random derivation.

    Returns:
        The number of its transitions.
    """
    system = restricted(rng.choice(SYSTEMS), rng.random() < 0.5)
    n = rng.choice([0, 1, 2, 3, 5, 8, 13, 30])
    crosses = rng.random() < 0.3
    found = random_heads(rng, n, projective=not crosses)
    if system.default_root_rule() and n and found.count(0) != 1:
        # A gold tree with several roots has no derivation with one.
        first = found.index(0)
        found = [h if h or i == first else first + 1 for i, h in enumerate(found)]
    labels = [rng.choice(LABELS) for _ in found]
    known = [h if system.needs_full_tree or rng.random() < 0.8 else None for h in found]
    gold, oracle = GoldTree(known, labels), DynamicOracle()
    is_exact = is_projective_tree(found) and system.projective
    is_exact = is_exact and not isinstance(system, ArcEager)
    c = system.initial(n)
    n_steps, total = 0, 0
    while not system.is_terminal(c):
        costs = check_costs(system, c, gold, oracle)
        assert min(costs.values()) >= 0 or (crosses and system.projective)
        assert min(costs.values()) == 0 or not is_exact
        pair, name = rng.choice(sorted(costs, key=str))
        if rng.random() < 0.5:
            pair, name = min(costs, key=lambda key: (costs[key], str(key)))
        label = rng.choice(LABELS) if system.is_labelled(name) else None
        total += step(system, c, gold, pair, name, label)
        n_steps += 1
        assert n_steps <= 2 * n + 2 + n * n
    if is_exact:
        assert total == loss(gold, c)
    check_end(system, c, n)
    return n_steps


def loss(gold, c):
    """The number of known arcs that a terminal configuration does not have.

    A label counts where both are known.
    """
    wanted = zip(gold.heads, gold.labels, strict=True)
    found = [(h, label) for h, label, _ in c.arcs]
    return sum(
        g is not None and (g != h or (None not in (a, b) and a != b))
        for (g, a), (h, b) in zip(wanted, found, strict=True)
    )


def check_costs(system, c, gold, oracle):
    """The costs of the legal transitions, by pair and name."""
    costs, correct = {}, set()
    for pair, name in options(system, c):
        if pair is not None:
            system.focus(c, pair)
        costs[pair, name] = system.costs(c, gold)[name]
        correct |= {(pair, k) for k in oracle.correct(system, c, gold)}
    least = min(costs.values())
    cheapest = {key for key, cost in costs.items() if cost == least}
    assert correct
    assert correct <= cheapest
    # `to_learn` of these leaves some out.
    leaves_out = isinstance(system, Covington | NonMonotonicArcEager)
    assert correct == cheapest or leaves_out
    return costs


def step(system, c, gold, pair, name, label):
    """Take a transition; returns its cost with the label."""
    before = {d: h for h, _, d in c.arcs}
    if pair is not None:
        system.focus(c, pair)
    cost = system.cost(c, gold, name, label=label)
    take(system, c, pair, name, label)
    after = {d: h for h, _, d in c.arcs}
    added = {d for d, h in after.items() if before.get(d) != h}
    replaced = added & before.keys()
    assert not replaced or isinstance(system, NonMonotonicArcEager)
    assert before.keys() <= after.keys()
    assert len(added) == system.is_labelled(name)
    for dependent in added:
        assert name in system.transitions_of(after[dependent], dependent)
    return cost


def check_end(system, c, n):
    """Assert that a derivation has ended in a tree."""
    assert options(system, c) == []
    system.finish(c, label="root")
    assert len(c.heads) == n
    assert is_tree(c.heads)
    assert is_projective_tree(c.heads) or not system.projective
    if system.default_root_rule() and n and not isinstance(system, ArcEager):
        assert c.heads.count(0) == 1
