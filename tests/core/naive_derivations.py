"""Derivations under a model with the probabilities of their decisions, by definition.

Written with the public view of the core only: legal transitions, their effect and their
costs, and the scores of the model in a configuration.
"""

import math
from collections import defaultdict
from typing import NamedTuple

from spacy_dynoracle import DynamicOracle, NonMonotonicArcEager
from spacy_dynoracle.core.state.configuration import Configuration

from . import builders
from .builders import action_scores, learned, take

# ---- decisions -----------------------------------------------------------------------


class Option(NamedTuple):
    """A legal action.

    Attributes:
        pair: 0 if there are none.
        arc: (head, dependent) or None.
    """

    pair: int
    name: str
    label: str | None
    score: float
    arc: tuple[int, int] | None


def initial(model, n, rule=None):
    c = model.system.initial(n, rule)
    for label in model.labels:
        c.labels.add(label)
    return c


def pairs_of(system, c):
    """The pairs of neighbours that can be chosen, or 0."""
    if not system.chooses_pair:
        return [0]
    return list(range(1, len(c.stack) + len(c.buffer)))


def focus(system, c, pair):
    if pair:
        system.focus(c, pair)


def arc_of(system, c, name):
    """The arc that a transition adds, or None."""
    if not system.is_labelled(name):
        return None
    after = c.copy()
    system.apply(after, name)
    ((head, _, dependent),) = set(after.arcs) - set(c.arcs)
    return head, dependent


def is_legal_label(model, arc, label):
    if arc is None or not model.system.root_label_constraint:
        return True
    return (arc[0] == 0) == (label == model.root_label)


def forced(system, c):
    """The only legal transition, if there is no label to choose either."""
    if system.chooses_pair:
        return None
    names = system.legal(c)
    return names[0] if len(names) == 1 and not system.is_labelled(names[0]) else None


def options(model, item, c):
    """The legal actions; none where a rule says what comes next."""
    system, found = model.system, []
    if forced(system, c):
        return []
    for pair in pairs_of(system, c):
        focus(system, c, pair)
        arcs = {name: arc_of(system, c, name) for name in system.legal(c)}
        found += [
            Option(pair, name, label, score, arcs[name])
            for (name, label), score in action_scores(model, c, item).items()
            if name in arcs and is_legal_label(model, arcs[name], label)
        ]
    return found


def apply(model, c, option):
    focus(model.system, c, option.pair)
    model.system.apply(c, option.name, label=option.label)


def apply_rule(model, c):
    """Take the first legal transition."""
    take(model.system, c, *builders.options(model.system, c)[0])


def finish(model, c):
    known = model.root_label in model.labels
    model.system.finish(c, label=model.root_label if known else None)


def share(model, score, scores):
    """Of a score in the softmax of some scores / temperature."""
    return 1 / math.fsum(math.exp((s - score) / model.temperature) for s in scores)


class Decision(NamedTuple):
    """
    Attributes:
        options: The legal actions; none if the best is forced.
    """

    c: Configuration
    options: list[Option]
    best: Option


def greedy(model, item, c=None):
    """Yield the decisions of the greedy derivation; each is still to be carried out.

    Args:
        c: An initial configuration, which becomes the terminal one.
    """
    c = c or initial(model, len(item))
    while not model.system.is_terminal(c):
        found = options(model, item, c)
        if name := forced(model.system, c):
            yield Decision(c, [], Option(0, name, None, 0.0, None))
        if found:
            # The first of equals.
            best = max(found, key=lambda option: option.score)
            yield Decision(c, found, best)
            apply(model, c, best)
        else:
            apply_rule(model, c)
    finish(model, c)


def marginals(model, item):
    """{(word, head, label): probability}, over all derivations.

    Those that meet in a configuration are the same from there on.
    """
    system = model.system
    found = defaultdict(float)
    c = initial(model, len(item))
    present = {None: (c, 1.0)}
    while present:
        coming = {}
        for c, probability in present.values():
            if system.is_terminal(c):
                finish(model, c)
                for head, label, word in c.arcs:
                    found[word, head, label] += probability
                continue
            choices = options(model, item, c)
            scores = [option.score for option in choices]
            steps = [(option, share(model, option.score, scores)) for option in choices]
            for option, p in steps or [(None, 1.0)]:
                after = c.copy()
                if option is None:
                    apply_rule(model, after)
                else:
                    apply(model, after, option)
                key = key_of(system, after)
                _, so_far = coming.get(key, (None, 0.0))
                coming[key] = after, so_far + probability * p
        present = coming
    return dict(found)


def key_of(system, c):
    """What makes two configurations the same."""
    if system.chooses_pair:
        return c.stack + c.buffer, c.arcs
    return c.stack, c.buffer, c.arcs, c.end_seen, c.marked


# ---- oracle --------------------------------------------------------------------------


def correct_flags(model, c, gold, choices):
    """For each option whether it is correct: of least cost and learned, with the label
    that its arc must have.
    """
    system = model.system
    costs = {}
    for pair in pairs_of(system, c):
        focus(system, c, pair)
        for name, cost in system.costs(c, gold).items():
            costs[pair, name] = cost
    if isinstance(system, NonMonotonicArcEager):
        costs = {(0, name): 0 for name in DynamicOracle().correct(system, c, gold)}
    least = min(costs.values())
    cheapest = {name for (_, name), cost in costs.items() if cost == least}
    names = learned(cheapest, c, gold)
    return [
        costs.get((option.pair, option.name)) == least
        and option.name in names
        and has_right_label(model, gold, option)
        for option in choices
    ]


def has_right_label(model, gold, option):
    """Whether the label is that of the gold arc, if there is one that it can have."""
    if option.arc is None:
        return True
    head, dependent = option.arc
    label = gold.labels[dependent - 1]
    if gold.heads[dependent - 1] != head or label is None:
        return True
    possible = (option.name, label) in model.actions
    if not possible or not is_legal_label(model, option.arc, label):
        return True
    return option.label == label
