"""Constrained search: given arcs are in every tree, and the model decides the rest."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, ArcHybridSwap, ArcStandard, EasyFirst, GoldTree
from spacy_dynoracle.core.search.constrained import parse_with_arcs
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.state.configuration import RootRule

from ...oracles.brute_force import partial_annotations
from ...oracles.comparison import sizes
from ..builders import (
    all_trees,
    is_projective_tree,
    is_tree,
    restricted,
    sentence,
    with_system,
)
from ..random_models import (
    LABELS,
    ROOT_LABEL,
    SYSTEMS,
    every_kind,
    every_system,
    model_without_weights,
    random_batch,
    random_heads,
    random_labels,
    random_model,
    random_sentence,
)


@pytest.fixture(scope="module")
def models():
    """For each system some models that learnt from noise."""
    return {
        repr(system): [random_model(system, seed=seed) for seed in range(3)]
        for system in SYSTEMS
    }


def rule_of(model):
    """One root where the system says so."""
    return RootRule.ONE if model.system.single_root else RootRule.ANY


def parse(model, items, arcs):
    """The heads and label names of every sentence."""
    heads, labels = parse_with_arcs(model, items, arcs, rule_of(model))
    return split(model, items, heads, labels)


def greedy(model, items):
    rule = model.system.keeping_root_rule(rule_of(model))
    return split(model, items, *GreedySearch().parse(model, items, rule))


def split(model, items, heads, labels):
    names = [None if i < 0 else model.labels[i] for i in labels]
    ends = np.cumsum([len(item) for item in items]).tolist()
    starts = [0, *ends[:-1]]
    return [
        (heads[a:b].tolist(), names[a:b]) for a, b in zip(starts, ends, strict=True)
    ]


def arcs_of(model, heads, labels=None):
    return GoldTree(heads, labels, inventory=model.labels)


def some_of(rng, values, share):
    return [value if rng.random() < share else None for value in values]


def assert_kept(found, kept):
    assert all(k is None or f == k for f, k in zip(found, kept, strict=True))


# ---- given arcs are kept -------------------------------------------------------------


@every_system
@sizes(slow=(5,))
def test_every_choice_of_arcs_of_every_tree(models, system, n):
    one = bool(system.single_root)
    partial = partial_annotations(all_trees(n, projective=True, single_root=one))
    for seed, model in enumerate(models[repr(system)]):
        items = random_batch(seed, [n] * len(partial))
        arcs = [arcs_of(model, heads) for heads in partial]
        for kept, (heads, _) in zip(partial, parse(model, items, arcs), strict=True):
            assert is_tree(heads)
            assert is_projective_tree(heads) or not system.projective
            assert heads.count(0) == 1 or not system.single_root
            assert_kept(heads, kept)


@every_system
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_arcs_and_labels_of_long_sentences(models, system, seed, share):
    rng = random.Random(seed)
    for model in models[repr(system)]:
        n = rng.randint(1, 40)
        tree = random_heads(rng, n, single_root=system.single_root)
        heads = some_of(rng, tree, share)
        labels = some_of(rng, random_labels(rng, tree), share)
        item = random_sentence(rng, n)
        arcs = arcs_of(model, heads, labels)
        ((found, names),) = parse(model, [item], [arcs])
        assert is_tree(found)
        assert_kept(found, heads)
        # A label is one of an arc: without its head it says nothing.
        known = [h is not None for h in heads]
        assert_kept(
            names, [la if k else None for la, k in zip(labels, known, strict=True)]
        )


# ---- the model decides the rest ------------------------------------------------------


@every_system
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_without_arcs_it_is_greedy_search(models, system, seed):
    rng = random.Random(seed)
    items = random_batch(seed, [rng.randint(0, 15) for _ in range(4)])
    for model in models[repr(system)]:
        arcs = [arcs_of(model, [None] * len(item)) for item in items]
        assert parse(model, items, arcs) == greedy(model, items)


# Only where every derivation of a tree is found by costs of its own.
EXACT = [
    system
    for system in SYSTEMS
    if system.projective and not (isinstance(system, ArcEager) and system.single_root)
]


@pytest.mark.parametrize("system", EXACT, ids=repr)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 1))
def test_arcs_that_greedy_search_finds_anyway_change_nothing(
    models, system, seed, share
):
    rng = random.Random(seed)
    items = random_batch(seed, [rng.randint(0, 15) for _ in range(4)])
    for model in models[repr(system)]:
        free = greedy(model, items)
        arcs = [
            arcs_of(model, some_of(rng, heads, share), some_of(rng, labels, share))
            for heads, labels in free
        ]
        assert parse(model, items, arcs) == free


def test_other_words_are_parsed_in_the_presence_of_given_arcs(models):
    """In some sentence a given arc changes the head of a word it does not touch,
    although the model's own choice would still be possible.
    """
    rng = random.Random(0)
    changed = 0
    for model in models[repr(SYSTEMS[0])]:
        for item in random_batch(1, [8] * 50):
            ((free, _),) = greedy(model, [item])
            word = rng.randrange(8)
            preset = [None] * 8
            preset[word] = rng.choice([h for h in range(9) if h != word + 1])
            ((heads, _),) = parse(model, [item], [arcs_of(model, preset)])
            possible = [*free[:word], preset[word], *free[word + 1 :]]
            changed += (
                is_tree(possible) and is_projective_tree(possible) and heads != possible
            )
    assert changed


# ---- labels --------------------------------------------------------------------------

# For each kind of system a transition for the arc from the second word to the first.
ACTIONS = {
    "ArcEager": [("LEFT", "a"), ("LEFT", "b"), ("RIGHT", "a")],
    "ArcHybridSwap": [("LEFT", "a"), ("LEFT", "b"), ("RIGHT", "a")],
    "EasyFirst": [("LEFT", "a"), ("LEFT", "b"), ("RIGHT", "a")],
}


def two_words(model, heads, labels):
    """The parse of two words in the presence of these arcs."""
    return parse(model, [sentence("xy", "NN")], [arcs_of(model, heads, labels)])[0]


@every_kind
@pytest.mark.parametrize("label", ["a", "b", None])
def test_label_of_a_given_arc(system, label):
    model = model_without_weights(system, ACTIONS[type(system).__name__])
    heads, labels = two_words(model, [2, None], [label, None])
    assert heads[0] == 2
    # All actions are equal, and ties go to the first.
    assert labels[0] == (label or "a")


@every_kind
def test_label_that_no_action_has(system):
    """It is in the inventory, but the model gives it to arcs in another direction."""
    model = model_without_weights(system, [*ACTIONS[type(system).__name__]])
    model.labels.add("c")
    heads, labels = two_words(model, [2, None], ["c", None])
    assert (heads[0], labels[0]) == (2, "c")


@every_kind
def test_arc_for_which_there_is_no_action(system):
    model = model_without_weights(system, [("RIGHT", "a")])
    heads, labels = two_words(model, [2, None], [None, None])
    assert (heads, labels[0]) == ([2, 0], None)


@pytest.mark.parametrize("root", ["first", "none"])
def test_label_of_a_root_that_a_rule_attaches(root):
    model = model_without_weights(ArcEager(root, True), ACTIONS["ArcEager"], "a")
    for label in ("b", None):
        heads, labels = two_words(model, [None, 0], [None, label])
        assert (heads[1], labels[1]) == (0, label or "a")


def test_label_against_the_root_label_constraint(models):
    """The given label is written, as the arc is there without having been chosen."""
    system = ArcEager("last", False, True)
    for model in models[repr(system)]:
        arcs = arcs_of(model, [None, 0, None, 2], [None, LABELS[0], None, ROOT_LABEL])
        ((heads, labels),) = parse(model, random_batch(1, [4]), [arcs])
        assert (heads[1], labels[1]) == (0, LABELS[0])
        assert (heads[3], labels[3]) == (2, ROOT_LABEL)


# ---- what cannot be ------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([3, 4, None, None], "no projective tree"),
        ([None, 0, 1], "no projective tree"),
        ([None, None], "2 words, not 4"),
    ],
)
def test_arcs_that_do_not_fit(system, heads, message):
    model = random_model(system)
    heads = heads if len(heads) == 2 else [*heads, None][:4]
    with pytest.raises(ValueError, match=message):
        parse_with_arcs(model, random_batch(0, [4]), [arcs_of(model, heads)])


@pytest.mark.parametrize(
    "system", [ArcHybridSwap(single_root=True), ArcStandard("last", True)], ids=repr
)
def test_several_roots_where_one_is_promised(system):
    model = random_model(system)
    with pytest.raises(ValueError, match="one root, but these arcs are of several"):
        parse_with_arcs(model, random_batch(0, [2]), [arcs_of(model, [0, 0])])
    several = with_system(model, restricted(system, False))
    arcs = [arcs_of(several, [0, 0])]
    assert parse(several, random_batch(0, [2]), arcs)[0][0] == [0, 0]


def test_other_arguments():
    model = random_model(EasyFirst())
    (item,) = random_batch(0, [2])
    with pytest.raises(ValueError, match="1 sentences, but arcs for 0"):
        parse_with_arcs(model, [item], [])
    for wrong in (None, GoldTree([None, None])):
        with pytest.raises(ValueError, match="with the labels of the model"):
            parse_with_arcs(model, [item], [wrong])
    with pytest.raises(TypeError):
        parse_with_arcs(model, [item], ["tree"])
    heads, labels = parse_with_arcs(model, [], [])
    assert (len(heads), len(labels)) == (0, 0)


@every_kind
def test_threads(system):
    model = random_model(system)
    rng = random.Random(0)
    one = system.single_root
    trees = [random_heads(rng, 12, single_root=one) for _ in range(40)]
    arcs = [arcs_of(model, some_of(rng, tree, 0.3)) for tree in trees]
    items = random_batch(2, [12] * 40)
    expected = parse(model, items, arcs)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: parse(model, items, arcs), range(8)):
            assert found == expected
