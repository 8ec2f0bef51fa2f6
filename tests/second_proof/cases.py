"""What is compared: systems, places of ROOT and rules for the number of roots."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from spacy_dynoracle import RootRule
from spacy_dynoracle.core.systems import SYSTEMS

from . import comparison, trees
from .along_paths import Follower, compare_formulas
from .arc_eager import ArcEager
from .arc_hybrid import ArcHybrid
from .arc_hybrid_swap import ArcHybridSwap
from .arc_standard import ArcStandard
from .comparison import Outcome
from .configuration import UNLABELLED, System, Transition
from .covington import Covington
from .easy_first import EasyFirst
from .non_monotonic import NonMonotonicArcEager
from .search import Graph, explore
from .trees import Gold
from .unshift import ArcEagerUnshift
from .walk import Product, Walk, walk_together

LABELS = ("x", "y")
# With SWAP and labels the search for the losses of one gold tree takes as long as so
# many pairs.
PAIRS_PER_SEARCH = 500
UNSHIFT_ROOTS = {
    RootRule.TREE: "any",
    RootRule.ONE: "one",
    RootRule.ONE_AT_END: "one at end",
}


@dataclass(frozen=True)
class Case:
    """A system with its place of ROOT and its rule.

    Attributes:
        single_root: Whether its trees have one root.
    """

    name: str
    system: System
    product: Product
    single_root: bool

    @property
    def roots(self) -> str:
        return self.product.rule.name.lower().replace("_", " ")

    @property
    def unshift(self) -> bool:
        return isinstance(self.system, ArcEagerUnshift)

    @property
    def swap(self) -> bool:
        return isinstance(self.system, ArcHybridSwap)

    @property
    def covington(self) -> bool:
        return isinstance(self.system, Covington)

    @property
    def comparisons(self) -> tuple[str, ...]:
        """The methods of `Round` for what the product promises of this system."""
        if self.covington and self.single_root:
            return ("legality", "keeping")
        if self.swap:
            return ("legality", "costs", "labelled", "keeping", "formulas")
        if not self.unshift:
            return ("legality", "costs", "partial", "labelled", "keeping")
        # With the rule for one root, search keeps arcs by that for one at the end.
        if self.product.rule == RootRule.ONE:
            return ("legality", "plain")
        return ("legality", "plain", "keeping")

    def largest(self, comparison: str) -> int:
        """Words of the longest sentences; few where a word may go back at any time,
        which makes very many configurations.
        """
        if self.name != "non-monotonic":
            return sys.maxsize
        return 3 if comparison == "labelled" else 4

    def derivable(self, n: int) -> list[trees.Heads]:
        """The trees that the system is made for."""
        projective = None if self.swap or self.covington else True
        return trees.trees(n, projective=projective, single_root=self.single_root)


def _case(name: str, class_name: str, system: System, rule: RootRule) -> Case:
    product = SYSTEMS[class_name](root=system.root)
    one = rule != RootRule.ANY
    # Unshift leaves one root, unless ROOT stands on the stack and takes several.
    if rule == RootRule.TREE and isinstance(system, ArcEagerUnshift):
        one = system.root != "first"
    return Case(name, system, Product(product, rule, class_name == "EasyFirst"), one)


def cases(*, every_rule: bool = False) -> Iterator[Case]:
    """Every system.

    Args:
        every_rule: With rules that do what another one does, too.
    """
    for root in ("last", "first", "none"):
        yield _case("arc-eager", "ArcEager", ArcEager(root), RootRule.ANY)
    for root in ("last", "first", "none"):
        for rule, roots in UNSHIFT_ROOTS.items():
            if every_rule or root == "first" or rule == RootRule.TREE:
                system = ArcEagerUnshift(root, roots=roots)
                yield _case("arc-eager-unshift", "ArcEager", system, rule)
    for rule in RootRule:
        if not every_rule and rule not in (RootRule.ANY, RootRule.ONE):
            continue
        one = rule != RootRule.ANY
        for root in ("first", "last"):
            yield _case("arc-standard", "ArcStandard", ArcStandard(root, one), rule)
            yield _case("arc-hybrid", "ArcHybrid", ArcHybrid(root, one), rule)
            system = NonMonotonicArcEager(root, one)
            yield _case("non-monotonic", "NonMonotonicArcEager", system, rule)
        yield _case(
            "arc-hybrid-swap", "ArcHybridSwap", ArcHybridSwap("last", one), rule
        )
        yield _case("covington", "Covington", Covington("last", one), rule)
        yield _case("easy-first", "EasyFirst", EasyFirst("first", one), rule)


NAMES = tuple(dict.fromkeys(case.name for case in cases()))


@dataclass
class Round:
    """A case with sentences of n words.

    Attributes:
        most: Pairs in a comparison.
    """

    case: Case
    n: int
    most: int = 2_000_000

    def legality(self) -> Outcome:
        """The walk alone."""
        return self.walk()[2]

    def walk(
        self, labels: Sequence[str | None] = UNLABELLED
    ) -> tuple[Graph, Walk, Outcome]:
        """The walk through both, and what differs there.

        Besides what `walk_together` compares: no configuration is stuck, and the trees
        are those of the system, each of them.
        """
        graph = explore(self.case.system, self.n, labels)
        walk = walk_together(graph, self.case.product, self.n)
        inner = sum(map(bool, graph.moves))
        outcome = Outcome(inner, comparisons=len(graph.configurations))
        for difference in walk.differences:
            outcome.disagree(difference)
        for c in graph.stuck():
            outcome.disagree(f"{c} is stuck")
        if labels == UNLABELLED:
            reached = {
                tuple(arc.head if arc else -1 for arc in tree) for tree in graph.trees()
            }
            outcome.trees = len(reached)
            if reached != set(self.case.derivable(self.n)):
                outcome.disagree("the trees reached are not those of the system")
        return graph, walk, outcome

    def _compare(
        self,
        method: comparison.Method,
        golds: Sequence[Gold],
        labels: Sequence[str | None] = UNLABELLED,
    ) -> Outcome:
        graph, walk, _ = self.walk(labels)
        outcome = Outcome()
        found = comparison.pairs(graph, walk, golds, outcome, most=self.most)
        method(self.case.product, found, outcome)
        return outcome

    def costs(self) -> Outcome:
        """All gold trees that the system can derive."""
        golds = trees.unlabelled(self.case.derivable(self.n))
        if self.case.swap:
            follower = self._follower()
            follower.follow_oracle(golds)
            return follower.outcome
        return self._compare(comparison.compare_costs, golds)

    def partial(self) -> Outcome:
        """Every partial annotation of these trees."""
        golds = trees.partial(self.case.derivable(self.n))
        return self._compare(comparison.compare_costs, golds)

    def labelled(self) -> Outcome:
        """Two labels; heads and labels may be unknown. For SWAP they are all known."""
        derivable = self.case.derivable(self.n)
        if not self.case.swap:
            golds = trees.labelled(derivable, LABELS)
            return self._compare(comparison.compare_labelled_costs, golds, LABELS)
        golds = trees.completely_labelled(derivable, LABELS)
        stride = ceil(len(golds) * PAIRS_PER_SEARCH / self.most)
        follower = self._follower(LABELS)
        follower.follow_oracle(golds[::stride])
        follower.outcome.share = 1 / stride
        return follower.outcome

    def _follower(self, labels: Sequence[str | None] = UNLABELLED) -> Follower:
        graph, walk, _ = self.walk(labels)
        return Follower(graph, walk, self.case.product, Outcome())

    def formulas(self) -> Outcome:
        """SWAP: the formulas of the paper, also after transitions with a cost."""
        graph, walk, _ = self.walk()
        outcome = Outcome()
        heads = self.case.derivable(self.n)
        compare_formulas(graph, walk, self.case.product, heads, outcome)
        return outcome

    def keeping(self) -> Outcome:
        """Given arcs, of projective trees in all systems but Covington's, which a
        search is to keep.

        Unless any number of roots is allowed, no more than one of the arcs is from
        ROOT.
        """
        one = self.case.product.rule != RootRule.ANY
        projective = None if self.case.covington else True
        some = trees.trees(self.n, projective=projective, single_root=one)
        golds = trees.partial(some)
        if self.case.swap or self.case.unshift or self.case.covington:
            follower = self._follower()
            follower.follow_keeping(golds)
            return follower.outcome
        return self._compare(comparison.compare_keeping, golds)

    def plain(self) -> Outcome:
        """Unshift, before the end of the input: the costs of arc-eager without it.

        NF14 section 4: training is that of arc-eager. The true costs are others, and
        there is no formula for them.
        """
        graph, walk, _ = self.walk()
        early = [not c.end_seen for c in graph.configurations]
        moves = [m if e else [] for m, e in zip(graph.moves, early, strict=True)]
        graph, walk, moves = self._without_unshift(graph, walk, moves)
        golds = trees.unlabelled(self.case.derivable(self.n))
        outcome = Outcome()
        found = comparison.pairs(
            graph, walk, golds, outcome, most=self.most, chosen_moves=moves
        )
        comparison.compare_costs(self.case.product, found, outcome)
        return outcome

    def _without_unshift(
        self, graph: Graph, walk: Walk, moves: comparison.Moves
    ) -> tuple[Graph, Walk, comparison.Moves]:
        """Configurations of arc-eager and the product's that look like them.

        The moves are those of arc-eager that are legal with Unshift as well.
        """
        plain = explore(ArcEager(self.case.system.root), self.n)
        numbers = {c: i for i, c in enumerate(plain.configurations)}
        same = Walk([None] * len(numbers))
        legal: list[list[tuple[Transition, int]]] = [[] for _ in numbers]
        for c, here, chosen in zip(
            graph.configurations, walk.configurations, moves, strict=True
        ):
            if chosen:
                i = numbers[c]
                same.configurations[i] = here
                names = {t for t, _ in chosen}
                legal[i] = [(t, j) for t, j in plain.moves[i] if t in names]
        return plain, same, legal
