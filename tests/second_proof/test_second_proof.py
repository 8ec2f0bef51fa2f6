"""The second proof on sentences of up to three words, and longer ones by name.

`python -m tests.second_proof` prints what is compared here.
"""

import ast
from itertools import product
from pathlib import Path

import pytest

from spacy_dynoracle import RootRule
from spacy_dynoracle.core.systems import SYSTEMS

from . import trees
from .cases import Case, Round, cases
from .comparison import gold_tree
from .report import compare, table
from .search import explore, least_losses
from .trees import GoldTable, loss
from .unshift import ArcEagerUnshift
from .walk import Product

FOLDER = Path(__file__).parent


def name_of(case: Case) -> str:
    return f"{case.name}-{case.system.root}-{case.roots}"


CASES = {name_of(case): case for case in cases(every_rule=True)}
COMPARED = {name_of(case): case for case in cases()}
every_case = pytest.mark.parametrize("name", COMPARED)


# ---- the proof -----------------------------------------------------------------------


@every_case
def test_no_disagreement(name):
    report = compare(COMPARED[name], range(4), 20_000)
    assert report.comparisons > 0
    assert report.disagreements == 0, report.examples()


@pytest.mark.slow
@every_case
def test_no_disagreement_about_five_words(name):
    report = compare(COMPARED[name], [4, 5], 500_000)
    assert report.disagreements == 0, report.examples()


@pytest.mark.parametrize("name", CASES)
def test_legality_under_every_rule(name):
    for n in range(5):
        outcome = Round(CASES[name], n).legality()
        assert outcome.disagreements == 0, outcome.examples


def test_every_place_and_rule_is_compared():
    """Of the systems that the proof has."""
    compared: dict[str, set[tuple[str, RootRule]]] = {}
    for case in CASES.values():
        places = compared.setdefault(type(case.product.system).__name__, set())
        places.add((case.system.root, case.product.rule))
    assert len(compared) == 7
    for name, places in compared.items():
        assert places == set(product(SYSTEMS[name].root_places, RootRule))


# ---- the proof's own parts -----------------------------------------------------------


def test_trees():
    """Counts of projective trees; of all trees, Cayley's formula."""
    for n, any_roots, one_root in [(1, 1, 1), (2, 3, 2), (3, 12, 7), (4, 55, 30)]:
        assert len(trees.trees(n, projective=True)) == any_roots
        assert len(trees.trees(n, projective=True, single_root=True)) == one_root
        assert len(trees.trees(n)) == (n + 1) ** (n - 1)
        assert len(trees.trees(n, single_root=True)) == n ** (n - 1)


@pytest.mark.parametrize(
    ("name", "shortest", "longest"),
    [
        ("arc-eager-last-any", 6, 6),
        ("arc-eager-first-any", 3, 5),
        ("arc-eager-unshift-none-tree", 5, 9),
        ("arc-eager-unshift-first-tree", 6, 12),
        ("arc-standard-first-any", 7, 7),
        ("arc-standard-last-any", 7, 7),
        ("arc-hybrid-first-any", 7, 7),
        ("arc-hybrid-last-any", 6, 6),
        ("arc-hybrid-swap-last-any", 6, 12),
        ("covington-last-any", 6, 7),
        ("easy-first-first-any", 3, 3),
        ("non-monotonic-last-any", 6, 10),
        ("non-monotonic-first-any", 6, 12),
    ],
)
def test_transitions_of_three_words(name, shortest, longest):
    """2n, 2n - k for k words left on the stack, 2n - 1 to 4n - 3, 2n to 4n, 2n + 1; 2n
    and 2 for each of n(n - 1)/2 swaps; n.
    """
    assert explore(CASES[name].system, 3).lengths() == (shortest, longest)


@every_case
def test_least_losses_are_those_of_the_trees_that_can_be_reached(name):
    """The dynamic programme beside a list of trees for every configuration."""
    case = COMPARED[name]
    graph = explore(case.system, 3)
    golds = trees.partial(trees.trees(3))
    best = least_losses(graph, GoldTable(golds))
    reached = [set() for _ in graph.configurations]
    for i in graph.order:
        c = graph.configurations[i]
        if case.system.is_terminal(c):
            reached[i] = {case.system.tree(c)}
        for _, j in graph.moves[i]:
            reached[i] |= reached[j]
    for i, some in enumerate(reached):
        expected = [min(loss(tree, gold) for tree in some) for gold in golds]
        assert best[i].tolist() == expected


def test_labels_count():
    golds = trees.labelled([(0, 1)], ["x", "y"])
    assert len(golds) == 16
    graph = explore(CASES["arc-eager-last-any"].system, 2, ["x", "y"])
    table = GoldTable(golds)
    for i in graph.terminal:
        tree = graph.system.tree(graph.configurations[i])
        assert table.losses(tree).tolist() == [loss(tree, gold) for gold in golds]


# ---- controls: mistakes are found ----------------------------------------------------


class Mistaken(Product):
    """A product with a mistake in its costs: a gold head in the buffer is forgotten by
    LEFT, as if the word had been attached to it.
    """

    def costs(self, c, gold):
        found = super().costs(c, gold)
        left = ("LEFT", None)
        if left in found and c.stack and gold.heads[c.stack[-1] - 1] in c.buffer:
            found[left] = max(0, found[left] - 1)
        return found


def mistaken(case: Case, wrong: Product) -> Case:
    return Case(case.name, case.system, wrong, case.single_root)


def test_a_wrong_cost_is_found():
    case = CASES["arc-eager-last-any"]
    wrong = mistaken(case, Mistaken(case.product.system, case.product.rule))
    outcome = Round(wrong, 3).costs()
    assert outcome.disagreements > 0
    assert outcome.examples
    assert outcome.values["wrong zero"] > 0
    assert "| 0 " not in table([compare(wrong, [3], 1_000)]).splitlines()[2]


def test_another_rule_is_found():
    """Several roots where one is promised, and the other way round."""
    for one, other in [("one", "any"), ("any", "one")]:
        for name in ("arc-hybrid-first", "arc-standard-last", "easy-first-first"):
            others = CASES[f"{name}-{other}"].product
            wrong = mistaken(CASES[f"{name}-{one}"], others)
            assert Round(wrong, 3).legality().disagreements > 0


def test_an_example_of_a_true_cost():
    """ROOT cannot take two words that are left at the end: formulas without Unshift are
    not its true costs (Nivre & Fernandez-Gonzalez 2014, footnote 4).
    """
    system = ArcEagerUnshift("first")
    graph = explore(system, 2)
    gold = ((0, None), (0, None))
    best = least_losses(graph, GoldTable([gold]))[:, 0]
    moves = {t.name: best[j] - best[0] for t, j in graph.moves[0]}
    assert moves == {"SHIFT": 1, "RIGHT": 0}
    plain = CASES["arc-eager-unshift-first-tree"].product
    costs = plain.costs(plain.initial(2), gold_tree(gold))
    assert costs == {("SHIFT", None): 0, ("RIGHT", None): 0}


# ---- independence --------------------------------------------------------------------


def test_it_imports_the_public_interface_of_the_product_alone():
    """No code of the first proof, of other tests or of the inside of the product."""
    allowed = {"spacy_dynoracle", "spacy_dynoracle.core.systems"}
    others = {"spacy_dynoracle", "tests"}
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
                assert not names & others, path
            elif isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path
                if node.level == 0 and node.module.partition(".")[0] in others:
                    assert node.module in allowed, path
