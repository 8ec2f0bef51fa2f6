"""What is promised only where every transition before was correct, too.

The oracle of SWAP (dL17): SWAP is static, so that its costs are not differences of
losses. It promises that a transition of cost 0 loses no arc, that there is always one,
and that the derivation ends in the gold tree. Where a SWAP is due, nothing else costs
0. After a transition of another cost, the costs are those of the paper's formulas.

Given arcs, with SWAP and with Unshift: a transition that keeps them leads to a
configuration that has such a transition, too, and at last to a tree with all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spacy_dynoracle import GoldTree

from .arc_hybrid_swap import Attainable, attainable_after, oracle_costs
from .comparison import CELLS, Moves, Outcome, gold_tree
from .search import Graph, least_losses
from .trees import Gold, GoldTable, Heads
from .walk import Product, Walk

Losses = npt.NDArray[np.int8]
Correct = Callable[[int, GoldTree], Moves]


@dataclass(frozen=True)
class Follower:
    """The paths of transitions that the product calls correct, for all gold trees."""

    graph: Graph
    walk: Walk
    product: Product
    outcome: Outcome

    def follow_oracle(self, golds: Sequence[Gold]) -> None:
        """Transitions of cost 0."""
        self._follow_all(golds, self._of_cost_zero)

    def follow_keeping(self, golds: Sequence[Gold]) -> None:
        """Transitions that keep the arcs of a gold tree."""
        self._follow_all(golds, self._keeping)

    def _of_cost_zero(self, i: int, gold: GoldTree) -> Moves:
        here = self.walk.at(i)
        costs = [self.product.cost(here, gold, t) for t, _ in self.graph.moves[i]]
        moves = zip(self.graph.moves[i], costs, strict=True)
        zero = [move for move, cost in moves if cost == 0]
        if len(zero) > 1 and any(t.name == "SWAP" for t, _ in zero):
            c = self.graph.configurations[i]
            self.outcome.disagree(f"{c}, {gold}: SWAP and others cost 0")
        return zero

    def _keeping(self, i: int, gold: GoldTree) -> Moves:
        keys = self.product.keeping(self.walk.at(i), gold)
        return [(t, j) for t, j in self.graph.moves[i] if (t.name, t.pair) in keys]

    def _follow_all(self, golds: Sequence[Gold], correct: Correct) -> None:
        graph, outcome = self.graph, self.outcome
        outcome.configurations = len(graph.configurations) - len(graph.terminal)
        outcome.trees = len(golds)
        per_part = max(1, CELLS // len(graph.configurations))
        for start in range(0, len(golds), per_part):
            part = golds[start : start + per_part]
            best = least_losses(graph, GoldTable(part))
            for row, gold in enumerate(part):
                losses = best[:, row]
                if losses[0] > 0:
                    outcome.disagree(f"{gold} cannot be derived")
                self._follow(gold_tree(gold), losses, correct)

    def _follow(self, gold: GoldTree, losses: Losses, correct: Correct) -> None:
        graph, outcome = self.graph, self.outcome
        waiting, seen = [0], {0}
        while waiting:
            i = waiting.pop()
            c, moves = graph.configurations[i], graph.moves[i]
            if not moves:
                if losses[i] > 0:
                    outcome.disagree(f"{gold}: correct transitions lead to {c}")
                continue
            chosen = correct(i, gold)
            outcome.pairs += 1
            outcome.comparisons += len(moves)
            lost = [t for t, j in chosen if losses[j] > losses[i]]
            if lost:
                outcome.disagree(f"{c}, {gold}: {lost} lose an arc")
            if not chosen:
                outcome.disagree(f"{c}, {gold}: no transition is correct")
            fresh = {j for _, j in chosen} - seen
            seen |= fresh
            waiting.extend(fresh)


def compare_formulas(
    graph: Graph,
    walk: Walk,
    product: Product,
    trees: Sequence[Heads],
    outcome: Outcome,
) -> None:
    """Costs beside the formulas of dL17, wherever training may get to.

    That is: from the initial configuration by transitions of cost 0, and by LEFT, RIGHT
    and SHIFT of any cost where no SWAP is due.
    """
    outcome.configurations = len(graph.configurations) - len(graph.terminal)
    outcome.trees = len(trees)
    for heads in trees:
        _compare_formulas(graph, walk, product, heads, outcome)


def _compare_formulas(
    graph: Graph, walk: Walk, product: Product, heads: Heads, outcome: Outcome
) -> None:
    tree = gold_tree(tuple((head, None) for head in heads))
    waiting = [(0, Attainable.all(heads))]
    seen = set(waiting)
    while waiting:
        i, left = waiting.pop()
        c = graph.configurations[i]
        moves = {t.name: j for t, j in graph.moves[i]}
        if not moves:
            continue
        outcome.pairs += 1
        ours = oracle_costs(c, left, heads, set(moves))
        theirs = {
            name: cost for (name, _), cost in product.costs(walk.at(i), tree).items()
        }
        outcome.comparisons += len(ours)
        swap_is_due = ours.get("SWAP") == 0
        if swap_is_due:  # Of the others the paper says only that they cost something.
            ours = {name: int(name != "SWAP") for name in ours}
            theirs = {name: min(cost, 1) for name, cost in theirs.items()}
        if ours != theirs:
            outcome.disagree(f"{c}, {heads}: {ours}, in the product {theirs}")
        for name, j in moves.items():
            if ours[name] == 0 or (name != "SWAP" and not swap_is_due):
                state = (j, attainable_after(name, c, left, heads))
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
