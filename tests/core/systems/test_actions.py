"""The set of actions of a system."""

import pickle

import pytest

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.core.systems.actions import Actions


def test_transitions_without_label_are_actions_at_once():
    actions = Actions(ArcEager())
    assert actions.keys == [("SHIFT", None), ("REDUCE", None)]
    assert len(actions) == 2
    assert list(actions.labels) == []


def test_numbers_are_given_in_order():
    actions = Actions(ArcEager())
    assert actions.add("LEFT", "nsubj") == 2
    assert actions.add("RIGHT", "obj") == 3
    assert actions.add("RIGHT", "nsubj") == 4
    # What is there already keeps its number.
    assert actions.add("LEFT", "nsubj") == 2
    assert actions.add("REDUCE") == 1
    assert len(actions) == 5
    assert list(actions.labels) == ["nsubj", "obj"]
    assert actions.keys[2:] == [("LEFT", "nsubj"), ("RIGHT", "obj"), ("RIGHT", "nsubj")]


def test_labels_may_be_named_before():
    labels = Labels(["obj", "nsubj"])
    actions = Actions(ArcEager(), labels)
    actions.add("LEFT", "nsubj")
    assert actions.labels is labels
    assert list(labels) == ["obj", "nsubj"]


@pytest.mark.parametrize(
    ("name", "label", "message"),
    [
        ("SWAP", None, "ArcEager has no transition 'SWAP'"),
        ("UNSHIFT", None, "UNSHIFT is never scored, so it is no action"),
        ("LEFT", None, "LEFT with label None is no action"),
        ("SHIFT", "obj", "SHIFT with label 'obj' is no action"),
        ("UNSHIFT", "obj", "UNSHIFT is never scored"),
    ],
)
def test_what_is_no_action(name, label, message):
    actions = Actions(ArcEager())
    with pytest.raises(ValueError, match=message):
        actions.add(name, label)
    assert len(actions) == 2
    assert list(actions.labels) == []


def test_pickle():
    actions = Actions(ArcEager(root="first"), Labels(["unused", "b"]))
    for name, label in [("RIGHT", "b"), ("LEFT", "a"), ("LEFT", "b")]:
        actions.add(name, label)
    copy = pickle.loads(pickle.dumps(actions))
    assert copy.keys == actions.keys
    assert list(copy.labels) == list(actions.labels)
    assert copy.system.root == "first"
    assert copy.add("LEFT", "b") == 4


def test_system_is_needed():
    with pytest.raises(TypeError):
        Actions(None)
