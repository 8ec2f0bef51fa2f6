"""Costs of the product beside those of exhaustive search."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from spacy_dynoracle import Configuration as ProductConfiguration
from spacy_dynoracle import GoldTree

from .configuration import Configuration, Transition
from .search import Graph, least_losses
from .trees import Gold, GoldTable
from .walk import Key, Product, Walk

MAX_EXAMPLES = 5
# Configurations whose losses are in memory at once, times gold trees.
CELLS = 50_000_000
Moves = Sequence[Sequence[tuple[Transition, int]]]


@dataclass
class Outcome:
    """
    Attributes:
        comparisons: Of single transitions.
        pairs: Configurations with a gold tree.
        share: Of all such pairs, those that were compared.
        examples: The first disagreements, a sentence each.
        values: What else was counted.
    """

    configurations: int = 0
    trees: int = 0
    pairs: int = 0
    comparisons: int = 0
    disagreements: int = 0
    share: float = 1.0
    examples: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)

    def disagree(self, sentence: str) -> None:
        self.disagreements += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(sentence)

    def count(self, what: str, number: int = 1) -> None:
        self.values[what] = self.values.get(what, 0) + number


def gold_tree(gold: Gold) -> GoldTree:
    """A gold tree as the product takes it."""
    heads = [head for head, _ in gold]
    labels = [label for _, label in gold]
    return GoldTree(heads, labels if any(labels) else None)


def stride_for(pairs: int, most: int, n_golds: int) -> int:
    """Every which pair to compare, so that about `most` are.

    It has no divisor in common with the number of gold trees, so that all of them have
    their turn.
    """
    stride = max(1, ceil(pairs / most))
    while gcd(stride, n_golds) > 1:
        stride += 1
    return stride


class Pair(NamedTuple):
    """A configuration and a gold tree, with the losses that search found.

    Attributes:
        c, here: The configuration of the proof and that of the product.
        loss: The least one from here.
        after: The least one from where each of the transitions leads.
    """

    c: Configuration
    here: ProductConfiguration
    transitions: list[Transition]
    gold: GoldTree
    loss: int
    after: list[int]

    def true_costs(self) -> dict[Key, int]:
        return {
            (t.name, t.pair): loss - self.loss
            for t, loss in zip(self.transitions, self.after, strict=True)
        }


def pairs(
    graph: Graph,
    walk: Walk,
    golds: Sequence[Gold],
    outcome: Outcome,
    *,
    most: int,
    chosen_moves: Moves | None = None,
) -> Iterator[Pair]:
    """Pairs evenly spread over all, about `most` of them.

    Args:
        chosen_moves: For each configuration the moves to compare; all by default.
    """
    chosen_moves = graph.moves if chosen_moves is None else chosen_moves
    inner = [i for i, moves in enumerate(chosen_moves) if moves]
    outcome.configurations, outcome.trees = len(inner), len(golds)
    total = len(inner) * len(golds)
    stride = stride_for(total, most, len(golds))
    done = 0
    per_part = max(1, CELLS // len(graph.configurations))
    for start in range(0, len(golds), per_part):
        part = golds[start : start + per_part]
        best = least_losses(graph, GoldTable(part))
        trees = [gold_tree(gold) for gold in part]
        for row, i in enumerate(inner):
            c, here = graph.configurations[i], walk.at(i)
            transitions = [t for t, _ in chosen_moves[i]]
            first = -(row * len(golds) + start) % stride
            chosen = slice(first, None, stride)
            before: list[int] = best[i, chosen].tolist()
            after = _rows(best, [j for _, j in chosen_moves[i]], chosen)
            for gold, loss, losses in zip(trees[chosen], before, after, strict=True):
                done += 1
                yield Pair(c, here, transitions, gold, loss, losses)
    outcome.pairs = done
    outcome.share = done / total if total else 1.0


def _rows(
    best: npt.NDArray[np.int8], numbers: list[int], chosen: slice
) -> list[list[int]]:
    losses: list[list[int]] = best[numbers, chosen].T.tolist()
    return losses


def compare_costs(product: Product, found: Iterator[Pair], outcome: Outcome) -> None:
    """The cost of every legal transition, labels left aside."""
    for pair in found:
        ours = pair.true_costs()
        theirs = product.costs(pair.here, pair.gold)
        outcome.comparisons += len(ours)
        if ours != theirs:
            _disagreements(pair, ours, theirs, outcome)


def compare_labelled_costs(
    product: Product, found: Iterator[Pair], outcome: Outcome
) -> None:
    """The cost of every legal transition with every label."""
    for pair in found:
        c, here, transitions, gold, least, after = pair
        outcome.comparisons += len(transitions)
        for t, loss in zip(transitions, after, strict=True):
            cost = product.cost(here, gold, t)
            if cost != loss - least:
                outcome.disagree(
                    f"{c}, {gold}: {t} costs {loss - least}, in the product {cost}"
                )


def compare_keeping(product: Product, found: Iterator[Pair], outcome: Outcome) -> None:
    """The transitions that keep given arcs: where the least loss is 0 and stays 0."""
    for pair in found:
        if pair.loss > 0:
            continue
        ours = {key for key, cost in pair.true_costs().items() if cost == 0}
        theirs = product.keeping(pair.here, pair.gold)
        outcome.comparisons += len(pair.transitions)
        if ours != theirs:
            outcome.disagree(
                f"{pair.c}, {pair.gold}: {ours} keep the arcs, in the product {theirs}"
            )


def _disagreements(
    pair: Pair,
    ours: dict[Key, int],
    theirs: dict[Key, int],
    outcome: Outcome,
) -> None:
    """Count what differs, and which of it changes the set of the dynamic oracle."""
    for key in {**ours, **theirs}:
        if ours.get(key) != theirs.get(key):
            outcome.disagree(
                f"{pair.c}, {pair.gold}: {key} costs "
                f"{ours.get(key)}, in the product {theirs.get(key)}"
            )
            outcome.count("wrong zero", theirs.get(key) == 0)
            outcome.count("wrong non-zero", ours.get(key) == 0)


Method = Callable[[Product, Iterator[Pair], Outcome], None]
