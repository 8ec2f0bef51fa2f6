"""The package's systems beside the reference, configuration by configuration."""

import numpy as np
import pytest

from spacy_dynoracle import GoldTree, NonMonotonicArcEager

from .reference_systems import ROOT


def sizes(ordinary=(1, 2, 3, 4), slow=(5, 6)):
    """Numbers of words, the larger ones only when slow tests are asked for."""
    marked = [pytest.param(n, marks=pytest.mark.slow) for n in slow]
    return pytest.mark.parametrize("n", [*ordinary, *marked])


class View:
    """A system of the package that speaks of configurations as the reference does."""

    def __init__(self, system):
        self.system = system

    def build(self, c, labels=None):
        """The package's configuration for the reference's c."""
        stack, buffer, heads, *marked = c
        arcs = self._arcs(heads, labels)
        return self._configuration(stack, buffer, arcs, len(heads), *marked)

    def _configuration(self, stack, buffer, arcs, n, marked=()):
        return self.system.configuration(
            n, stack=stack, buffer=buffer, arcs=arcs, marked=marked
        )

    @staticmethod
    def _arcs(heads, labels):
        labels = labels or (None,) * len(heads)
        return [
            (head, label, word)
            for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
            if head is not None
        ]

    def shown(self, config):
        """The reference's configuration for the package's."""
        shown = config.stack, config.buffer, config.heads
        if isinstance(self.system, NonMonotonicArcEager):
            return *shown, frozenset(config.marked)
        return shown

    def legal(self, config):
        """The legal transitions, named as in the reference."""
        return self.system.legal(config)

    def apply(self, config, transition, label=None):
        """A new configuration: config after the transition."""
        following = config.copy()
        self.system.apply(following, transition, label=label)
        return following

    def costs(self, config):
        """gold -> {transition: cost}."""
        return lambda gold: self.system.costs(config, gold)

    def labelled_costs(self, config, labels):
        """gold -> {(transition, label or None): cost}."""
        actions = [
            (name, label)
            for name in self.system.legal(config)
            for label in (labels if self.system.is_labelled(name) else (None,))
        ]
        return lambda gold: {
            action: self.system.cost(config, gold, action[0], label=action[1])
            for action in actions
        }


class PairView(View):
    """Easy-first: the package speaks of one pair of neighbours at a time."""

    def _configuration(self, stack, buffer, arcs, n):
        return super()._configuration(stack[:1], stack[1:], arcs, n)

    def shown(self, config):
        return config.stack + config.buffer, (), config.heads

    def _focused(self, config, i):
        focused = config.copy()
        self.system.focus(focused, i)
        return focused

    def pairs(self, config):
        """(i, the configuration with its i-th pair in focus) for every pair."""
        n_pairs = len(config.stack) + len(config.buffer) - 1
        return [(i, self._focused(config, i)) for i in range(1, n_pairs + 1)]

    def legal(self, config):
        return [
            (name, i)
            for i, focused in self.pairs(config)
            for name in self.system.legal(focused)
        ]

    def apply(self, config, transition, label=None):
        name, i = transition
        return super().apply(self._focused(config, i), name, label)

    def costs(self, config):
        pairs = self.pairs(config)
        return lambda gold: {
            (name, i): cost
            for i, focused in pairs
            for name, cost in self.system.costs(focused, gold).items()
        }

    def labelled_costs(self, config, labels):
        pairs = [
            (i, super(PairView, self).labelled_costs(focused, labels))
            for i, focused in self.pairs(config)
        ]
        return lambda gold: {
            ((name, i), label): cost
            for i, costs in pairs
            for (name, label), cost in costs(gold).items()
        }


def walk(graph, view):
    """Reach all configurations by the package's own transitions, comparing each.

    Returns:
        The heads of all terminal ones.
    """
    agenda, seen, finished = [(graph.initial, view.system.initial(graph.n))], set(), []
    while agenda:
        c, config = agenda.pop()
        assert view.shown(config) == c
        if c in seen:
            continue
        seen.add(c)
        terminal = graph.system.is_terminal(c)
        assert view.system.is_terminal(config) == terminal
        if terminal:
            view.system.finish(config)
            assert config.heads == tuple(ROOT if h is None else h for h in c[2])
            finished.append(config.heads)
            continue
        steps = graph.successors[c]
        assert sorted(view.legal(config)) == sorted(name for name, _, _ in steps)
        for transition, arc, after in steps:
            following = view.apply(config, transition, "x" if arc else None)
            added = set(following.arcs) - set(config.arcs)
            assert added == (set() if arc is None else {(arc[0], "x", arc[1])})
            agenda.append((after, following))
        assert view.shown(config) == c
    assert seen == set(graph.successors)
    return finished


def package_golds(golds):
    """The gold trees as the package takes them."""
    if golds.labels is None:
        return [GoldTree(heads) for heads in golds.heads]
    pairs = zip(golds.heads, golds.labels, strict=True)
    return [GoldTree(heads, labels) for heads, labels in pairs]


def compare(brute, costs_at):
    """Comparisons made, disagreements and the first of these.

    costs_at(c): gold -> {transition: cost}, by the package.
    """
    golds = package_golds(brute.golds)
    compared, wrong, examples = 0, 0, []
    for c in brute.graph.nonterminal:
        expected = brute.costs(c)
        table = np.stack(list(expected.values()), axis=1)
        assert (table.min(axis=1) == 0).all()
        compared += table.size
        costs = costs_at(c)
        for gold, row in zip(golds, table.tolist(), strict=True):
            want, got = dict(zip(expected, row, strict=True)), costs(gold)
            if got != want:
                wrong += len(want.items() - got.items()) or 1
                if len(examples) < 5:
                    examples.append((c, gold, want, got))
    return compared, wrong, examples


def n_equal(found):
    """The number of comparisons, in all of which the costs are equal."""
    compared, wrong, examples = found
    assert wrong == 0, examples
    return compared


def compare_costs(brute, view):
    """Structural costs of the package against brute force."""
    return compare(brute, lambda c: view.costs(view.build(c)))


def compare_labelled_costs(brute, view, labels):
    """Costs of labelled transitions; the configurations of brute are (c, labels)."""
    return compare(brute, lambda c: view.labelled_costs(view.build(*c), labels))


def free_paths(view, heads):
    """All that transitions of cost zero reach from the initial configuration.

    Returns:
        The number of configurations and the ends of the paths: {(heads, transitions,
        swaps among them)}; heads of None where nothing has cost zero.
    """
    gold, seen, ends = GoldTree(heads), set(), set()
    agenda = [(view.system.initial(len(heads)), 0, 0)]
    while agenda:
        config, length, swaps = agenda.pop()
        # Paths of different length may meet.
        if (state := (view.shown(config), length, swaps)) in seen:
            continue
        seen.add(state)
        if view.system.is_terminal(config):
            ends.add((config.heads, length, swaps))
            continue
        costs = view.system.costs(config, gold)
        free = [name for name, cost in costs.items() if cost == 0]
        if not free:
            ends.add((None, length, swaps))
        for name in free:
            after = view.apply(config, name)
            agenda.append((after, length + 1, swaps + (name == "SWAP")))
    return len({shown for shown, _, _ in seen}), ends
