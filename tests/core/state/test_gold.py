"""Gold trees: validation, partial trees, inventories."""

import pickle

import pytest
from hypothesis import given

from spacy_dynoracle import GoldTree
from spacy_dynoracle.core.state.labels import Labels

from ..builders import heads as any_heads
from ..builders import is_projective_tree


def test_heads_and_labels():
    gold = GoldTree([2, 0, None], ["nsubj", None, "obj"])
    assert len(gold) == 3
    assert gold.heads == (2, 0, None)
    assert gold.labels == ("nsubj", None, "obj")
    assert gold.n_known == 2
    assert not gold.complete


def test_without_labels():
    assert GoldTree([2, 0]).labels == (None, None)


def test_empty():
    gold = GoldTree([])
    assert (len(gold), gold.heads, gold.labels) == (0, (), ())
    assert gold.complete
    assert gold.projective


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([3, 0], "word 1 of 2 has head 3: expected another word"),
        ([0, -1], "word 2 of 2 has head -1: expected another word"),
        ([10**12], "word 1 of 1 has head 1000000000000"),
        ([0, 2], "word 2 of 2 has head 2: expected another word"),
        ([2, 1], "the heads form a cycle through words 1, 2"),
        ([0, 4, 2, 3, 1], "the heads form a cycle through words 2, 3, 4"),
        ([5, 1, None, 0, 2], "the heads form a cycle through words 1, 2, 5"),
    ],
)
def test_impossible_heads(heads, message):
    with pytest.raises(ValueError, match=message):
        GoldTree(heads)


@pytest.mark.parametrize("labels", [[], ["a"], ["a", "b", "c"]])
def test_labels_must_be_as_many_as_heads(labels):
    with pytest.raises(ValueError, match=f"one label each, but got {len(labels)}"):
        GoldTree([2, 0], labels)


def test_a_head_that_is_no_number():
    with pytest.raises(TypeError):
        GoldTree(["2", 0])


def test_new_labels_go_into_the_given_inventory():
    inventory = Labels(["obj"])
    gold = GoldTree([2, 0, 2], ["nsubj", None, "obj"], inventory)
    assert gold.inventory is inventory
    assert list(inventory) == ["obj", "nsubj"]
    assert gold.labels == ("nsubj", None, "obj")


def test_each_tree_has_its_own_inventory_by_default():
    assert GoldTree([0]).inventory is not GoldTree([0]).inventory


@pytest.mark.parametrize(
    ("heads", "projective"),
    [
        ([2, 0, 2], True),
        ([0, 0, 0], True),
        ([3, 4, 0, 3], False),
        # ROOT is no word: an arc from it never crosses another one.
        ([0, 4, 0, 1], False),
        ([None, 4, None, None], True),
        # Word 2 may still become a descendant of 1.
        ([0, None, 1], True),
        ([0, 0, 1], False),
    ],
)
def test_projective(heads, projective):
    assert GoldTree(heads).projective == projective


@given(any_heads())
def test_any_tree_is_accepted(heads):
    gold = GoldTree(heads)
    assert gold.heads == heads
    assert gold.complete
    assert gold.projective == is_projective_tree(heads)


def test_repr_and_pickle():
    gold = GoldTree([2, 0, None], ["nsubj", None, None])
    assert repr(gold) == ("GoldTree(heads=[2, 0, None], labels=['nsubj', None, None])")
    copy = pickle.loads(pickle.dumps(gold))
    assert (copy.heads, copy.labels) == (gold.heads, gold.labels)
