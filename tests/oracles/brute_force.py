"""Gold trees, configuration graphs and transition costs by exhaustive search.

Everything here is written from the definitions alone and shares no code with the
package. The cost of a transition is that of Goldberg & Nivre (2013, TACL 1), section
4.1; the transition systems are in reference_systems.
"""

from __future__ import annotations

from itertools import product

import numpy as np


def partial_annotations(trees):
    """Every distinct way to forget heads (None) of some of the trees' words."""
    partial = {
        tuple(h if keep else None for h, keep in zip(heads, kept, strict=True))
        for heads in trees
        for kept in product((True, False), repeat=len(heads))
    }
    return tuple(sorted(partial, key=str))


class GoldTrees:
    """Gold trees, partial or not, looked up arc by arc for all trees at once.

    A head of None is unknown, a label of None accepts every label.
    """

    def __init__(self, heads, labels=None):
        self.heads = tuple(heads)
        self.labels = None if labels is None else tuple(labels)
        self._head_of = np.array(
            [[-1 if h is None else h for h in tree] for tree in self.heads]
        ).reshape(len(self.heads), -1)
        if self.labels is not None:
            self._label_of = np.array(self.labels, dtype=object)
        self._known = {}

    def __len__(self):
        return len(self.heads)

    def contains(self, arc):
        """Vector over trees: 1 where (head, dependent[, label]) is gold, else 0.

        An arc without a label, or with the label None, is compared by its head.
        """
        if arc not in self._known:
            head, dependent, *label = arc
            gold = self._head_of[:, dependent - 1] == head
            if label and label[0] is not None:
                wanted = self._label_of[:, dependent - 1]
                gold = gold & ((wanted == label[0]) | (wanted == None))  # noqa: E711
            self._known[arc] = gold.astype(np.int8)
        return self._known[arc]

    def known(self, dependent):
        """Vector over trees: 1 where the head of the dependent is known, else 0."""
        return (self._head_of[:, dependent - 1] >= 0).astype(np.int8)

    def count(self, arcs):
        """Vector over trees: how many of the arcs are gold."""
        total = np.zeros(len(self), dtype=np.int8)
        for arc in arcs:
            total += self.contains(arc)
        return total


class Graph:
    """All configurations of a system reachable from the initial one for n words."""

    def __init__(self, system, n):
        self.system = system
        self.n = n
        self.initial = system.initial(n)
        self.successors = {}
        agenda = [self.initial]
        while agenda:
            c = agenda.pop()
            if c in self.successors:
                continue
            steps = [] if system.is_terminal(c) else system.successors(c)
            self.successors[c] = steps
            agenda.extend(after for _, _, after in steps)
        self.terminal = [c for c in self.successors if system.is_terminal(c)]
        self.nonterminal = [c for c in self.successors if not system.is_terminal(c)]
        self._lengths, self._outcomes, self._derivable = {}, {}, {}

    def dead_ends(self):
        """Configurations without a transition that are not terminal."""
        return [c for c in self.nonterminal if not self.successors[c]]

    def lengths(self):
        """For every configuration the set of lengths of the derivations into it."""
        if not self._lengths:
            frontier, length = {self.initial}, 0
            self._lengths = {c: set() for c in self.successors}
            while frontier:
                for c in frontier:
                    self._lengths[c].add(length)
                frontier = {a for c in frontier for _, _, a in self.successors[c]}
                length += 1
                if length > len(self.successors):
                    raise ValueError("a configuration can be reached from itself")
        return self._lengths

    def outcomes(self, c):
        """The final arc sets of all continuations of c."""
        if c not in self._outcomes:
            if self.system.is_terminal(c):
                arcs = self.system.arcs(c) + self.system.final_arcs(c)
                found = frozenset([frozenset(arcs)])
            else:
                after = [self.outcomes(a) for _, _, a in self.successors[c]]
                found = frozenset().union(*after)
            self._outcomes[c] = found
        return self._outcomes[c]

    def derivable(self, c):
        """The arcs that some continuation of c adds."""
        if c not in self._derivable:
            if self.system.is_terminal(c):
                found = frozenset(self.system.final_arcs(c))
            else:
                found = frozenset()
                for _, arc, after in self.successors[c]:
                    new = frozenset() if arc is None else frozenset([arc])
                    found |= new | self.derivable(after)
            self._derivable[c] = found
        return self._derivable[c]

    def trees(self):
        """The heads of all trees some complete derivation produces."""
        return {
            tuple(arc[0] for arc in sorted(arcs, key=lambda arc: arc[1]))
            for arcs in self.outcomes(self.initial)
        }


class BruteForce:
    """Transition costs on all configurations of a graph, for all gold trees at once."""

    def __init__(self, graph, golds):
        self.graph = graph
        self.golds = golds
        self._best, self._loss = {}, {}

    def best(self, c):
        """Vector over gold trees: most gold arcs of the trees reachable from c."""
        if c not in self._best:
            system = self.graph.system
            if system.is_terminal(c):
                best = self.golds.count(system.arcs(c) + system.final_arcs(c))
            else:
                steps = self.graph.successors[c]
                best = np.max([self.best(after) for _, _, after in steps], axis=0)
            self._best[c] = best
        return self._best[c]

    def costs(self, c):
        """{transition: vector over gold trees of its cost in c}."""
        best = self.best(c)
        return {
            transition: best - self.best(after)
            for transition, _, after in self.graph.successors[c]
        }

    def loss(self, c):
        """Least loss of the trees reachable from c, by listing these trees.

        Counted up to the number of words with a known head.
        """
        if c not in self._loss:
            right = [self.golds.count(arcs) for arcs in self.graph.outcomes(c)]
            self._loss[c] = -np.max(right, axis=0)
        return self._loss[c]

    def listed_costs(self, c):
        """As `costs`, straight from the definition by listing the reachable trees."""
        return {
            transition: self.loss(after) - self.loss(c)
            for transition, _, after in self.graph.successors[c]
        }
