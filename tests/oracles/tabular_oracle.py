"""The tabular dynamic oracle of arc-standard, a second time and on purpose slowly.

Goldberg, Sartorio & Satta (2014, TACL 2). The loss of a configuration is the number
of words with a wrong head in it, and the least number of wrong arcs needed to merge
the stack and the collapsed buffer into one tree below ROOT. Wrong ways to collapse
the buffer stand beside the right one: the exhaustive search has to reject them.
"""

import numpy as np

from .reference_systems import ROOT

RIGHT, NO_COLLAPSE, LOST_TOO = "right", "no collapse", "lost dependents too"


def _collapsed(stack, buffer, gold, rule):
    """The buffer words that cannot be left inside gold subtrees built without loss.

    Args:
        rule: RIGHT collects the dependents a buffer word has on the stack; LOST_TOO
            also those that were lost before; NO_COLLAPSE keeps all words.
    """
    kept = []
    for x in buffer:
        dependents = {d for d, head in enumerate(gold, 1) if head == x}
        if rule == NO_COLLAPSE or x == ROOT:
            keep = True
        else:
            outside = gold[x - 1] not in buffer
            waiting = dependents & set(stack)
            if rule == LOST_TOO:
                waiting = dependents - set(buffer)
            keep = outside or waiting or dependents & set(kept)
        if keep:
            kept.append(x)
    return kept


def merge_loss(stack, buffer, gold, single_root=False, rule=RIGHT):
    """Least number of wrong arcs that turn stack and buffer into one tree.

    Args:
        gold: Heads, None where unknown.
    """
    left = stack[::-1]
    right = [stack[-1], *_collapsed(stack, buffer, gold, rule)]
    p, q = len(left), len(right)
    tables = {(i, j): {} for i in range(1, p + 1) for j in range(1, q + 1)}
    tables[1, 1] = {stack[-1]: 0}

    def reach(i, j, r, loss):
        tables[i, j][r] = min(loss, tables[i, j].get(r, loss))

    def attach(i, j, head, dependent, loss):
        if dependent != ROOT:
            wrong = gold[dependent - 1] not in (head, None)
            reach(i, j, head, loss + wrong)

    for i, j in tables:
        for r, loss in tables[i, j].items():
            if i < p:
                x = left[i]
                if not (single_root and x == ROOT and j < q):
                    attach(i + 1, j, r, x, loss)
                    attach(i + 1, j, x, r, loss)
            if j < q:
                x = right[j]
                if not (single_root and x == ROOT and i < p):
                    attach(i, j + 1, r, x, loss)
                    attach(i, j + 1, x, r, loss)
    return tables[p, q][ROOT]


class TabularOracle:
    """Costs of arc-standard on a graph from losses, as vectors over gold trees."""

    def __init__(self, graph, golds, single_root=False, rule=RIGHT):
        self.graph = graph
        self.golds = golds
        self.settings = {"single_root": single_root, "rule": rule}
        self._merge_loss = {}

    def loss(self, c):
        """Vector over gold trees: least loss of the trees reachable from c."""
        stack, buffer, heads = c
        if (stack, buffer) not in self._merge_loss:
            self._merge_loss[stack, buffer] = np.array(
                [
                    merge_loss(stack, buffer, gold, **self.settings)
                    for gold in self.golds.heads
                ]
            )
        arcs = [(h, d) for d, h in enumerate(heads, 1) if h is not None]
        known = sum(self.golds.known(d) for _, d in arcs)
        return self._merge_loss[stack, buffer] + known - self.golds.count(arcs)

    def costs(self, c):
        """{transition: vector over gold trees of its cost in c}."""
        if not c[0]:
            # The first SHIFT is forced; the table begins with what it puts there.
            return {"SHIFT": np.zeros(len(self.golds), dtype=int)}
        return {
            transition: self.loss(after) - self.loss(c)
            for transition, _, after in self.graph.successors[c]
        }
