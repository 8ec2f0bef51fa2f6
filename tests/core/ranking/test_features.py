"""The features of whole trees against their definitions."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, ArcStandard, GoldTree, NonDeterministicOracle
from spacy_dynoracle.core.ranking.extractor import PartExtractor
from spacy_dynoracle.core.ranking.templates import (
    GLOBAL,
    LIU_2015,
    LIU_2015_UD,
    RankingTemplates,
)
from spacy_dynoracle.core.ranking.trees import PartFinder
from spacy_dynoracle.core.ranking.word_classes import WordClasses

from .. import builders
from ..builders import sentence
from ..random_models import random_heads
from .naive import NaiveTree
from .ranking_builders import CLASSES, COLUMNS, LABELS, NAMED_CLASSES, TAGS, WORDS

ALL = tuple(dict.fromkeys(LIU_2015 + LIU_2015_UD + GLOBAL))


def extract(words, tags, heads, labels, templates=ALL, classes=CLASSES):
    """How often each (template, key) occurs in a tree."""
    templates = RankingTemplates(templates)
    finder = PartFinder(templates, COLUMNS, classes)
    extractor = PartExtractor(templates, finder.word_column, finder.tag_column)
    return Counter(extractor.features(finder, sentence(words, tags), heads, labels))


def random_tree(rng, n, *, projective=True):
    heads = random_heads(rng, n, projective=projective)
    return (
        rng.choices(WORDS, k=n),
        rng.choices(TAGS, k=n),
        heads,
        [rng.randrange(-1, len(LABELS)) for _ in heads],
    )


def frequencies(trees):
    """For each template how often each of its features occurs in each tree, whatever
    the feature is called.

    trees: for each {(template, feature): number}.
    """
    found = {}
    for template, feature in set().union(*trees):
        row = tuple(tree[template, feature] for tree in trees)
        found.setdefault(template, Counter())[row] += 1
    return found


def assert_same_features(trees, classes=NAMED_CLASSES, codes=CLASSES):
    """Keys are equal, within and across trees, where features are by definition."""
    expected = [NaiveTree(*tree, classes).features(ALL) for tree in trees]
    found = [extract(*tree, classes=codes) for tree in trees]
    assert frequencies(found) == frequencies(expected)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), projective=st.booleans())
def test_random_trees(seed, n, projective):
    rng = random.Random(seed)
    lengths = [1, 2, 3, 5, n]
    assert_same_features([random_tree(rng, n, projective=projective) for n in lengths])


def test_every_template_is_used():
    """So that the tests above mean something."""
    rng = random.Random(0)
    used = {t for _ in range(40) for t, _ in extract(*random_tree(rng, 12))}
    assert used == set(ALL)


def test_real_trees():
    classes = (("ADP",), ("PUNCT",), ("CCONJ",), ())
    codes = WordClasses(*(tuple(map(builders.code, tags)) for tags in classes[:3]))
    assert_same_features(
        [
            (*tree[:3], [len(label) for label in tree.labels])
            for tree in builders.TREEBANK
        ],
        classes,
        codes,
    )


def test_by_hand():
    """The dog of a man: every part of one kind."""
    words, tags = ["dog", "of", "men", "barks"], ["N", "P", "N", "V"]
    heads, labels = [4, 3, 1, 0], [0, 1, 2, 0]
    tree = NaiveTree(words, tags, heads, labels, NAMED_CLASSES)
    assert [nodes for nodes, _ in tree.parts("case")] == [{"H": 1, "P": 2, "M": 3}]
    assert [nodes for nodes, _ in tree.parts("greatgrandparent")] == [
        {"G": 4, "P": 1, "M": 3, "C": 2}
    ]
    found = extract(words, tags, heads, labels)
    of_kinds = Counter(template.partition(":")[0] for template, _ in found.elements())
    # Templates of the kind times parts.
    assert of_kinds["case"] == 16
    assert of_kinds["greatgrandparent"] == 37
    assert of_kinds["arc"] == 42 * 3
    assert of_kinds["bigram"] == 2 * 3
    assert of_kinds["span"] == 2 * 4
    assert of_kinds["sibling"] == 0


def test_keys_have_48_bits():
    rng = random.Random(1)
    keys = {key for _, key in extract(*random_tree(rng, 30))}
    assert 2**40 < max(keys) < 2**48
    assert len(keys) > 1000


def test_templates_are_told_apart():
    """No two templates have a key in common, though their atoms may be the same."""
    rng = random.Random(2)
    seen = {}
    for _ in range(20):
        for template, key in extract(*random_tree(rng, 6)):
            assert seen.setdefault(key, template) == template


def derivation(system, heads, choose):
    """The arcs of a derivation of a tree that takes some of the correct transitions."""
    c, gold = system.initial(len(heads)), GoldTree(heads)
    steps = []
    oracle = NonDeterministicOracle()
    while not system.is_terminal(c):
        correct = sorted(oracle.correct(system, c, gold))
        steps.append(choose(correct))
        system.apply(c, steps[-1])
    found = [0] * len(heads)
    for head, _, dependent in c.arcs:
        found[dependent - 1] = head
    return steps, found


def test_derivations_do_not_matter():
    """Features are those of the tree, whatever the steps by which it was found."""
    rng = random.Random(3)
    words, tags, _, labels = random_tree(rng, 5)
    # He [has dogs] here: the left dependent can be attached early or late.
    heads = [2, 0, 2, 3, 2]
    found = []
    for system in (ArcEager(), ArcStandard()):
        for choose in (min, max):
            steps, arcs = derivation(system, heads, choose)
            found.append((steps, extract(words, tags, arcs, labels)))
    assert len({tuple(steps) for steps, _ in found}) > 2
    assert all(features == found[0][1] for _, features in found)


def test_many_dependents():
    """Time and memory are linear, also where one word has them all."""
    n = 20_000
    heads = [0] + [1] * (n - 1)
    found = extract(["x"] * n, ["N"] * n, heads, [1] * n, LIU_2015)
    assert sum(found.values()) > 40 * n
    chain = list(range(n))
    found = extract(["x"] * n, ["N"] * n, chain, [1] * n, LIU_2015)
    assert sum(found.values()) > 40 * n


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([2, 1, 0], [0, 0, 0], "its arcs form a cycle"),
        ([2, 3, 1], [0, 0, 0], "its arcs form a cycle"),
        ([1, 0, 0], [0, 0, 0], "word 1 of 3 has head 1"),
        ([4, 0, 0], [0, 0, 0], "word 1 of 3 has head 4"),
        ([-1, 0, 0], [0, 0, 0], "word 1 of 3 has head -1"),
        ([0, 1, 1], [0, -2, 0], "word 2 has label -2"),
        ([0, 1, 1], [0, 1 << 20, 0], "word 2 has label 1048576"),
        ([0, 1], [0, 0, 0], "expected a tree of 3 words"),
        ([0, 1, 1], [0], "expected a tree of 3 words"),
    ],
)
def test_no_tree(heads, labels, message):
    with pytest.raises(ValueError, match=message):
        extract(["x"] * 3, ["N"] * 3, heads, labels)


def test_columns():
    templates = RankingTemplates(["arc:Hw.Mp"])
    for columns in ((), ("w",), ("p",), ("w", "pos")):
        with pytest.raises(ValueError, match="ranking needs forms"):
            PartFinder(templates, columns, CLASSES)
    finder = PartFinder(templates, ("pos", "p", "w"), CLASSES)
    assert (finder.word_column, finder.tag_column, finder.n_columns) == (2, 1, 3)
