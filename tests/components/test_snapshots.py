"""Frozen copies of models in training."""

import pytest
import spacy
from spacy.training import Example

from spacy_dynoracle.components import snapshots
from spacy_dynoracle.components.snapshots import ENOUGH_WORDS, Snapshot

pytestmark = pytest.mark.heavy


class Growing:
    """A model that counts how often it is frozen."""

    def __init__(self, n_frozen=0):
        self.n_frozen = n_frozen

    def freeze(self):
        self.n_frozen += 1
        return Growing(-self.n_frozen)


def test_few_words_are_left_to_the_model():
    model = Growing()
    snapshot = Snapshot(model)
    assert snapshot.get(ENOUGH_WORDS - 1) is model
    assert snapshot.get(1) is model
    assert model.n_frozen == 0


def test_many_words_are_left_to_one_copy():
    model = Growing()
    snapshot = Snapshot(model)
    assert snapshot.get(ENOUGH_WORDS) is model
    copy = snapshot.get(1)
    assert copy is not model
    assert snapshot.get(ENOUGH_WORDS) is copy
    assert model.n_frozen == 1


def test_a_changed_model_has_no_copy():
    model = Growing()
    snapshot = Snapshot(model)
    copy = snapshot.get(ENOUGH_WORDS + 1)
    snapshot.forget()
    assert snapshot.get(1) is model
    assert snapshot.get(ENOUGH_WORDS) not in (model, copy)
    assert model.n_frozen == 2


TREES = (
    ("Nora found a map", [1, 1, 3, 1], ["nsubj", "ROOT", "det", "obj"], "PVDN"),
    ("Maps sink fast", [1, 1, 1], ["nsubj", "ROOT", "advmod"], "NVA"),
    ("A map sank", [1, 2, 2], ["det", "nsubj", "ROOT"], "DNV"),
)


def examples(nlp):
    found = []
    for text, heads, deps, tags in TREES:
        gold = {"words": text.split(), "heads": heads, "deps": deps, "tags": [*tags]}
        example = Example.from_dict(nlp.make_doc(text), gold)
        for token, tag in zip(example.predicted, tags, strict=True):
            token.tag_ = tag
        found.append(example)
    return found


def annotations(nlp):
    """What the pipeline says of other sentences."""
    docs = [nlp.make_doc(f"{text} a map") for text, *_ in TREES]
    for doc in docs:
        for token in doc:
            token.tag_ = "N"
    parsed = nlp.pipe(docs)
    return [[(t.head.i, t.dep_, t.tag_) for t in doc] for doc in parsed]


@pytest.mark.parametrize("component", ["dynoracle_parser", "dynoracle_tagger"])
def test_components_predict_the_same_with_and_without(component, monkeypatch):
    config = {"attrs": ["TAG"], "overwrite": True} if "tagger" in component else {}
    found = []
    for enough in (0, 1000):
        monkeypatch.setattr(snapshots, "ENOUGH_WORDS", enough)
        nlp = spacy.blank("en")
        pipe = nlp.add_pipe(component, config=config)
        data = examples(nlp)
        nlp.initialize(lambda data=data: data)
        history = []
        for _ in range(6):
            nlp.update(data)
            history.append(annotations(nlp))
            is_copied = pipe.training_run().snapshot._frozen is not None
            assert is_copied == (enough == 0)
        found.append(history)
    assert found[0] == found[1]
    assert found[0][-1] != annotations(spacy.blank("en"))
