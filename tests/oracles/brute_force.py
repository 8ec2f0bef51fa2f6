"""Brute-force reference for transition systems, oracles and costs.

Everything here is written from the definitions alone and shares no code with the
package: transition systems after Goldberg & Nivre (2013, TACL 1, section 2.2) and
Nivre & Fernandez-Gonzalez (2014, CL 40:2, section 3), the cost of a transition
after Goldberg & Nivre (2013, section 4.1).

A configuration is an immutable tuple that starts with (stack, buffer, heads): the
stack bottom first, the buffer front first, heads[d - 1] the head of word d or None.
A transition system is a class with the five methods of `System`; another one is
added by writing such a class.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

ROOT = 0


@cache
def _forests(first, last, parent):
    """Heads of words first..last arranged as adjacent subtrees below parent."""
    if first > last:
        return ((),)
    return tuple(
        (*left, parent, *right, *rest)
        for end in range(first, last + 1)
        for head in range(first, end + 1)
        for left in _forests(first, head - 1, head)
        for right in _forests(head + 1, end, head)
        for rest in _forests(end + 1, last, parent)
    )


def projective_trees(n, single_root=False):
    """All projective trees over n words as tuples of heads."""
    trees = _forests(1, n, ROOT)
    if single_root:
        return tuple(heads for heads in trees if heads.count(ROOT) == 1)
    return trees


def is_projective_tree(heads):
    """Whether a sequence of heads is a projective tree, by the definition."""
    n = len(heads)
    ancestors = {ROOT: set()}
    for word in range(1, n + 1):
        path, node = set(), word
        while node != ROOT:
            node = heads[node - 1]
            if node is None or node in path or node == word:
                return False
            path.add(node)
        ancestors[word] = path
    return all(
        head in ancestors[between]
        for word, head in enumerate(heads, 1)
        for between in range(min(head, word) + 1, max(head, word))
    )


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

    def count(self, arcs):
        """Vector over trees: how many of the arcs are gold."""
        total = np.zeros(len(self), dtype=np.int8)
        for arc in arcs:
            total += self.contains(arc)
        return total


class System:
    """The interface of a transition system, and what all of them share."""

    def initial(self, n):
        """The initial configuration for n words."""
        raise NotImplementedError

    def is_terminal(self, c):
        """Whether the parser stops in c."""
        raise NotImplementedError

    def successors(self, c):
        """[(transition, arc it adds or None, next configuration)], c not terminal."""
        raise NotImplementedError

    def arcs(self, c):
        """The arcs (head, dependent) of c."""
        return [(h, d) for d, h in enumerate(c[2], 1) if h is not None]

    def final_arcs(self, c):
        """The arcs added after the terminal c: headless words are attached to ROOT."""
        return [(ROOT, d) for d, h in enumerate(c[2], 1) if h is None]


def attach(heads, head, dependent):
    """The heads with one arc more."""
    return (*heads[: dependent - 1], head, *heads[dependent:])


class ArcEager(System):
    """Arc-eager with ROOT last, first or absent (GN13 2.2; NF14 2)."""

    def __init__(self, root):
        self.root = root

    def initial(self, n):
        words = tuple(range(1, n + 1))
        stack = (ROOT,) if self.root == "first" else ()
        buffer = words + ((ROOT,) if self.root == "last" else ())
        return stack, buffer, (None,) * n

    def is_terminal(self, c):
        stack, buffer, _ = c
        if self.root == "last":
            return stack == () and buffer == (ROOT,)
        return buffer == ()

    def successors(self, c):
        stack, buffer, heads = c
        b, beta = buffer[0], buffer[1:]
        steps = []
        if b != ROOT:
            steps.append(("SHIFT", None, ((*stack, b), beta, heads)))
        if stack and stack[-1] != ROOT:
            sigma, s = stack[:-1], stack[-1]
            if heads[s - 1] is None:
                steps.append(("LEFT", (b, s), (sigma, buffer, attach(heads, b, s))))
            else:
                steps.append(("REDUCE", None, (sigma, buffer, heads)))
        if stack and b != ROOT:
            s = stack[-1]
            after = ((*stack, b), beta, attach(heads, s, b))
            steps.append(("RIGHT", (s, b), after))
        return steps


class ArcEagerUnshift(System):
    """Arc-eager with the tree constraint; configurations carry the flag e last.

    ROOT first or absent after NF14 section 3, with ([], [w], A, true) terminal when
    there is no ROOT. ROOT last is the derived combination: ROOT waits behind the
    words until one headless word is left.
    """

    def __init__(self, root):
        self.root = root

    def initial(self, n):
        stack, buffer, heads = ArcEager(self.root).initial(n)
        return stack, buffer, heads, n == 0

    def is_terminal(self, c):
        stack, buffer, _, end_seen = c
        if self.root == "last":
            return stack == () and buffer == (ROOT,)
        if not end_seen:
            return False
        if self.root == "none":
            return len(stack) + len(buffer) <= 1
        return stack == (ROOT,) and buffer == ()

    def successors(self, c):
        stack, buffer, heads, end_seen = c
        rest = (ROOT,) if self.root == "last" else ()
        steps = []

        def step(transition, arc, sigma, beta):
            after = heads if arc is None else attach(heads, *arc)
            seen = end_seen or beta == rest
            steps.append((transition, arc, (sigma, beta, after, seen)))

        sigma, s = stack[:-1], stack[-1] if stack else None
        headless = s not in (None, ROOT) and heads[s - 1] is None
        if s not in (None, ROOT) and not headless:
            step("REDUCE", None, sigma, buffer)
        if buffer != rest:
            b, beta = buffer[0], buffer[1:]
            # With ROOT last the word that emptied the stack goes back to it, so
            # that ROOT can take it.
            if not end_seen or (self.root == "last" and not stack):
                step("SHIFT", None, (*stack, b), beta)
            if stack:
                step("RIGHT", (s, b), (*stack, b), beta)
            if headless:
                step("LEFT", (b, s), sigma, buffer)
        elif headless:
            alone = [w for w in stack if heads[w - 1] is None] == [s]
            if self.root == "last" and alone:
                step("LEFT", (ROOT, s), sigma, buffer)
            else:
                step("UNSHIFT", None, sigma, (s, *rest))
        return steps

    def final_arcs(self, c):
        return super().final_arcs(c[:3])


class Labelled(System):
    """A system whose arcs carry one of the labels; its configuration is (c, labels).

    Transitions are pairs (transition, label or None). An arc added at the end
    counts as correctly labelled: no transition chooses its label.
    """

    def __init__(self, system, labels):
        self.system = system
        self.labels = tuple(labels)

    def initial(self, n):
        return self.system.initial(n), (None,) * n

    def is_terminal(self, c):
        return self.system.is_terminal(c[0])

    def successors(self, c):
        steps = []
        for transition, arc, after in self.system.successors(c[0]):
            if arc is None:
                steps.append(((transition, None), None, (after, c[1])))
                continue
            for label in self.labels:
                labels = attach(c[1], label, arc[1])
                steps.append(((transition, label), (*arc, label), (after, labels)))
        return steps

    def arcs(self, c):
        return [(h, d, c[1][d - 1]) for h, d in self.system.arcs(c[0])]

    def final_arcs(self, c):
        return [(*arc, None) for arc in self.system.final_arcs(c[0])]


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
        """Vector over gold trees: most gold arcs any continuation of c still adds."""
        if c not in self._best:
            if self.graph.system.is_terminal(c):
                best = self.golds.count(self.graph.system.final_arcs(c))
            else:
                steps = self.graph.successors[c]
                best = np.max([self._gain(arc, a) for _, arc, a in steps], axis=0)
            self._best[c] = best
        return self._best[c]

    def _gain(self, arc, after):
        best = self.best(after)
        return best if arc is None else best + self.golds.contains(arc)

    def costs(self, c):
        """{transition: vector over gold trees of its cost in c}."""
        best = self.best(c)
        return {
            transition: best - self._gain(arc, after)
            for transition, arc, after in self.graph.successors[c]
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
