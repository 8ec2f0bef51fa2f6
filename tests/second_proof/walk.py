"""The product's configurations beside those of the proof."""

from dataclasses import dataclass, field

from spacy_dynoracle import ArcEager, GoldTree, RootRule
from spacy_dynoracle import Configuration as ProductConfiguration
from spacy_dynoracle.core.systems import TransitionSystem

from .configuration import ROOT, Arc, Configuration, Transition
from .search import Graph

Key = tuple[str, int | None]


@dataclass(frozen=True)
class Product:
    """A transition system of the product, asked through its public API.

    Attributes:
        by_pairs: Whether a transition is about a pair of neighbours (easy-first).
    """

    system: TransitionSystem
    rule: RootRule
    by_pairs: bool = False

    def initial(self, n: int) -> ProductConfiguration:
        return self.system.initial(n, self.rule)

    def _pairs(self, c: ProductConfiguration) -> list[int | None]:
        if not self.by_pairs:
            return [None]
        return list(range(1, len(c.stack) + len(c.buffer)))

    def _focus(self, c: ProductConfiguration, pair: int | None) -> None:
        if pair is not None:
            self.system.focus(c, pair)  # type: ignore[attr-defined]

    def legal(self, c: ProductConfiguration) -> set[Key]:
        found: set[Key] = set()
        for pair in self._pairs(c):
            self._focus(c, pair)
            found.update((name, pair) for name in self.system.legal(c))
        return found

    def costs(self, c: ProductConfiguration, gold: GoldTree) -> dict[Key, int]:
        """C(t; c, T) of every legal transition, labels left aside."""
        found: dict[Key, int] = {}
        for pair in self._pairs(c):
            self._focus(c, pair)
            costs = self.system.costs(c, gold)
            found.update({(name, pair): cost for name, cost in costs.items()})
        return found

    def keeping(self, c: ProductConfiguration, arcs: GoldTree) -> set[Key]:
        found: set[Key] = set()
        for pair in self._pairs(c):
            self._focus(c, pair)
            found.update((name, pair) for name in self.system.keeping(c, arcs))
        return found

    def cost(self, c: ProductConfiguration, gold: GoldTree, t: Transition) -> int:
        """C(t; c, T) of one transition with its label."""
        name, label, pair = t
        if pair is not None:
            self._focus(c, pair)
        return self.system.cost(c, gold, name, label)

    def after(self, c: ProductConfiguration, t: Transition) -> ProductConfiguration:
        c = c.copy()
        self._focus(c, t.pair)
        self.system.apply(c, t.name, t.label)
        return c


@dataclass(frozen=True)
class Walk:
    """Product configurations under the numbers of the proof's, and what differed.

    Attributes:
        configurations: None where the product did not get to.
        differences: A sentence each.
    """

    configurations: list[ProductConfiguration | None]
    differences: list[str] = field(default_factory=list)

    def at(self, i: int) -> ProductConfiguration:
        """The configuration with a number.

        Raises:
            LookupError: If there is none.
        """
        c = self.configurations[i]
        if c is None:
            raise LookupError(f"the product does not get to configuration {i}")
        return c


def walk_together(graph: Graph, product: Product, n: int) -> Walk:
    """Take every legal transition in both, and compare what can be seen.

    That is: the legal transitions, stack, buffer, arcs, whether a configuration is
    terminal, and the tree at the end.
    """
    walk = Walk([None] * len(graph.configurations))
    walk.configurations[0] = product.initial(n)
    # From the initial configuration to the last ones: `order` backwards.
    for i in reversed(graph.order):
        there = walk.configurations[i]
        if there is None:
            continue
        here = graph.configurations[i]
        walk.differences.extend(_differences(graph, i, there, product))
        legal = product.legal(there)
        for transition, j in graph.moves[i]:
            if (transition.name, transition.pair) not in legal:
                continue
            after = product.after(there, transition)
            if walk.configurations[j] is None:
                walk.configurations[j] = after
            elif _seen(after, product) != _seen(walk.configurations[j], product):
                walk.differences.append(f"{transition} from {here}: {after}")
    return walk


def _seen(c: ProductConfiguration, product: Product) -> Configuration:
    """A product configuration as one of the proof, without the e of Unshift."""
    arcs: list[Arc | None] = [None] * len(c.heads)
    for head, label, dependent in c.arcs:
        arcs[dependent - 1] = Arc(head, label)
    if product.by_pairs:
        return Configuration(c.stack + c.buffer, (), tuple(arcs))
    return Configuration(c.stack, c.buffer, tuple(arcs))


def _differences(
    graph: Graph, i: int, there: ProductConfiguration, product: Product
) -> list[str]:
    here = graph.configurations[i]
    found = []
    if _seen(there, product) != here._replace(end_seen=False, back=frozenset()):
        found.append(f"{here}: the product has {there}")
    unshift = product.rule != RootRule.ANY and isinstance(product.system, ArcEager)
    if unshift and there.end_seen != here.end_seen:
        found.append(f"{here}: end_seen is {there.end_seen}")
    ours = {(t.name, t.pair) for t, _ in graph.moves[i]}
    theirs = product.legal(there)
    if ours != theirs:
        found.append(f"{here}: legal are {sorted(ours)}, in the product {theirs}")
    end = graph.system.is_terminal(here)
    if end != product.system.is_terminal(there):
        found.append(f"{here}: terminal {end}, in the product {not end}")
    if end:
        tree = there.copy()
        product.system.finish(tree)
        heads = tuple(arc.head if arc else ROOT for arc in graph.system.tree(here))
        if tree.heads != heads:
            found.append(f"{here}: heads {heads}, in the product {tree.heads}")
    return found
