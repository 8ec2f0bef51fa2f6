"""Label inventories."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.core.state.labels import Labels


@given(st.lists(st.text()))
def test_ids_are_first_come_first_served(labels):
    inventory = Labels(labels)
    distinct = list(dict.fromkeys(labels))
    assert list(inventory) == distinct
    assert len(inventory) == len(distinct)
    for label_id, label in enumerate(distinct):
        assert inventory.find(label) == label_id
        assert inventory[label_id] == label
        assert label in inventory


def test_add_returns_the_id_of_old_and_new_labels():
    labels = Labels(["nsubj", "obj"])
    assert labels.add("obj") == 1
    assert labels.add("root") == 2
    assert list(labels) == ["nsubj", "obj", "root"]


def test_unknown_labels():
    labels = Labels(["nsubj"])
    assert labels.find("obj") == -1
    assert labels.find(None) == -1
    assert "obj" not in labels
    assert None not in labels
    assert list(labels) == ["nsubj"]


def test_repr():
    assert repr(Labels(["nsubj", "obj"])) == "Labels(['nsubj', 'obj'])"
