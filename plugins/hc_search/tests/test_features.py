"""The features of whole trees against their definitions."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynoracle_hcsearch.extractor import PartExtractor
from dynoracle_hcsearch.parts import PartFinder
from dynoracle_hcsearch.template_sets import (
    GLOBAL,
    LEMMAS,
    LIU_2015,
    LIU_2015_UD,
    MORPHOLOGY,
)
from dynoracle_hcsearch.templates import RankingTemplates
from spacy_dynoracle.core.state.sentence import Sentence
from tests.core.builders import code
from tests.core.random_models import random_heads

from .naive import NaiveTree
from .ranking_builders import CLASSES, LABELS, NAMED_CLASSES, TAGS, WORDS

RICH = LEMMAS + MORPHOLOGY
# What no set has.
OTHERS = (
    "arc:H-1lemma.M+1mCase", "arc:M+1pos.Mw", "bigram:GHp.LMw", "arc:HMsuf3.Dist",
    "trisibling:MTlemma.SmCase.HSp", "pair:OClemma.Inside",
    "neighbours:NRp.LmCase",
)  # fmt: skip
PUBLISHED = tuple(dict.fromkeys(LIU_2015 + LIU_2015_UD + GLOBAL))
ALL = PUBLISHED + RICH + OTHERS
NAMES = RankingTemplates(ALL).columns[2:]


def extract(words, tags, heads, labels, others=None, templates=PUBLISHED):
    """The sum of each (template, key) in a tree."""
    templates = RankingTemplates(templates)
    others = others or {}
    # In another order than that of the templates.
    columns = ("p", *reversed(others), "w")
    values = [tags, *reversed(others.values()), words]
    codes = [[0 if x is None else code(x) for x in row] for row in values]
    nullable = [i for i, name in enumerate(columns) if name.startswith("m")]
    sentence = Sentence(np.array(codes, dtype=np.uint64).T, nullable)
    finder = PartFinder(templates, columns, CLASSES)
    extractor = PartExtractor(templates, columns)
    found = Counter()
    for template, key, amount in extractor.features(finder, sentence, heads, labels):
        found[template, key] += amount
    return found


def random_tree(rng, n, *, projective=True, others=()):
    heads = random_heads(rng, n, projective=projective)
    tree = (
        rng.choices(WORDS, k=n),
        rng.choices(TAGS, k=n),
        heads,
        [rng.randrange(-1, len(LABELS)) for _ in heads],
    )
    if not others:
        return tree
    return (
        *tree,
        {
            name: rng.choices([None, "a", "b"] if name[0] == "m" else "abc", k=n)
            for name in others
        },
    )


def frequencies(trees):
    """For each template how often each of its features occurs in each tree, whatever
    the feature is called.

    Args:
        trees: For each {(template, feature): number}.
    """
    found, trees = {}, list(trees)
    for template, feature in set().union(*trees):
        row = tuple(tree[template, feature] for tree in trees)
        found.setdefault(template, Counter())[row] += 1
    return found


def rounded(features):
    """Amounts are numbers of 32 bits."""
    return Counter({feature: round(n, 6) for feature, n in features.items()})


def assert_same_features(trees):
    """Keys are equal, within and across trees, where features are by definition."""
    expected = [
        NaiveTree(*tree[:4], NAMED_CLASSES, *tree[4:]).features(ALL) for tree in trees
    ]
    found = [extract(*tree, templates=ALL) for tree in trees]
    assert frequencies(map(rounded, found)) == frequencies(map(rounded, expected))


@pytest.mark.heavy
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), projective=st.booleans())
def test_random_trees(seed, n, projective):
    rng = random.Random(seed)
    trees = [
        random_tree(rng, length, projective=projective, others=NAMES)
        for length in (1, 2, 3, 5, n)
    ]
    assert_same_features(trees)


@pytest.mark.heavy
def test_every_template_is_used():
    """So that the tests above mean something."""
    rng = random.Random(0)
    used = {
        template
        for _ in range(150)
        for template, _ in extract(*random_tree(rng, 12, others=NAMES), templates=ALL)
    }
    assert used == set(ALL)


def test_columns_do_not_change_other_templates():
    """Keys depend on the place of a template, but not on what others read."""
    rng = random.Random(5)
    tree = random_tree(rng, 9, others=NAMES)
    expected = extract(*tree)
    found = extract(*tree, templates=PUBLISHED + RICH)
    assert {f: n for f, n in found.items() if f[0] in PUBLISHED} == expected
    # No more than 32 bits of an amount count.
    (share,) = [n for (t, _), n in found.items() if t == "rightbranch:Share"]
    assert share == np.float32(share)


def test_right_branch():
    def share(heads, tags):
        tree = (["x"] * len(heads), tags, heads, [0] * len(heads))
        found = extract(*tree, templates=["rightbranch:Share"])
        assert len(found) == 1
        (key,) = found
        return key, found[key]

    key, amount = share([0, 1, 2, 3], ["N", "N", "N", ","])
    assert amount == 0.75
    # The same feature in another amount; what stands to the left is no branch.
    assert share([3, 3, 0, 3], ["N", "N", "N", ","]) == (key, 0.25)
    assert share([0, 1, 1, 3, 1], ["N", "N", "N", "N", ","]) == (
        key, pytest.approx(0.6)
    )  # fmt: skip
    assert share([0, 1], [",", "N"]) == (key, 0)


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
    of_kinds = Counter()
    for (template, _), amount in found.items():
        of_kinds[template.partition(":")[0]] += amount
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


@pytest.mark.heavy
def test_many_dependents():
    """Time and memory are linear, also where one word has them all."""
    n = 5_000
    heads = [0] + [1] * (n - 1)
    found = extract(["x"] * n, ["N"] * n, heads, [1] * n, templates=LIU_2015)
    assert sum(found.values()) > 40 * n
    chain = list(range(n))
    found = extract(["x"] * n, ["N"] * n, chain, [1] * n, templates=LIU_2015)
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
        with pytest.raises(ValueError, match="the templates of the ranker use"):
            PartExtractor(templates, columns)
    other = RankingTemplates(["arc:Hlemma.MmCase"])
    with pytest.raises(ValueError, match="use lemma mCase of words, but the columns"):
        PartExtractor(other, ("w", "p", "pos"))
