"""Training: what is learned, from what, and in which epoch."""

import random

import pytest
import spacy
from spacy.training import Example

from .treebank import (
    NAME,
    SENTENCES,
    examples,
    gold_analysis,
    make_nlp,
    mixed_examples,
    model_bytes,
    parse_all,
    parser_of,
    train,
    update,
)

pytestmark = pytest.mark.heavy

ALL_LABELS = {label for s in SENTENCES for label in s.labels}


def spy_on_iterations(nlp, data, epochs):
    """The iteration that the parser reckons with at each update, batch by batch."""
    parser = parser_of(nlp)
    seen = []
    for _ in range(epochs):
        start = 0
        sizes = iter([4, 7, 100, len(data)])
        while start < len(data):
            size = next(sizes)
            seen.append(parser._iteration())
            nlp.update(data[start : start + size])
            start += size
    return seen


# ---- learning ------------------------------------------------------------------------


def test_losses_are_wrong_predictions():
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    losses = {NAME: 1000.0, "other": 3.0}
    returned = parser_of(nlp).update(data, losses=losses)
    assert returned is losses
    assert losses[NAME] > 1000
    assert losses["other"] == 3.0
    assert isinstance(losses[NAME], float)
    first = losses[NAME] - 1000
    assert update(nlp, data, epochs=5)[NAME] < first


def test_losses_are_there_without_a_batch():
    nlp = make_nlp(epochs=0)
    assert parser_of(nlp).update([]) == {NAME: 0.0}
    losses = {}
    parser_of(nlp).update([], losses=losses, drop=0.5, sgd=None)
    assert losses == {NAME: 0.0}


def test_update_takes_any_iterable_of_examples():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    nlp.initialize(lambda: iter(data))
    assert parser_of(nlp).update(iter(data))[NAME] > 0


def test_update_rejects_what_is_no_example():
    nlp = make_nlp(epochs=0)
    with pytest.raises(TypeError):
        parser_of(nlp).update([nlp.make_doc("He sat .")])


def test_initialize_rejects_what_is_no_examples():
    nlp = make_nlp()
    with pytest.raises(TypeError):
        parser_of(nlp).initialize(examples(nlp.vocab))
    with pytest.raises(TypeError):
        parser_of(nlp).initialize(lambda: [nlp.make_doc("He sat .")])


def test_with_a_real_optimizer():
    nlp = make_nlp()
    sgd = nlp.initialize(lambda: examples(nlp.vocab))
    losses = {}
    for _ in range(12):
        nlp.update(mixed_examples(nlp.vocab), sgd=sgd, drop=0.2, losses=losses)
    parser_of(nlp).finish_update(sgd)
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_use_params_is_a_plain_generator(trained_nlp):
    """spaCy calls `next()` on it, so it must not be a context manager."""
    parser = parser_of(trained_nlp)
    before = model_bytes(trained_nlp)
    params = parser.use_params({(1, "W"): None})
    assert next(params) is None
    assert next(params, "end") == "end"
    with trained_nlp.use_params({(1, "W"): None}):
        assert model_bytes(trained_nlp) == before


def test_initialize_forgets_everything():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    train(nlp, data, epochs=3)
    first = model_bytes(nlp)
    train(nlp, data, epochs=3)
    assert model_bytes(nlp) == first
    nlp.initialize(lambda: data)
    assert parser_of(nlp)._iteration() == 1
    assert all(heads == list(range(len(heads))) for heads, _, _ in parse_all(nlp))


# ---- seeds and order -----------------------------------------------------------------


def trained_bytes(seed):
    nlp = make_nlp(seed=seed, epochs=0)
    data = examples(nlp.vocab)
    for _ in range(4):
        for start in range(0, len(data), 6):
            nlp.update(data[start : start + 6])
    return model_bytes(nlp)


def test_the_seed_is_the_components_own():
    random.seed(1)
    first = trained_bytes(seed=3)
    random.seed(2)
    spacy.util.fix_random_seed(5)
    assert trained_bytes(seed=3) == first


def test_batches_are_shuffled_inside(monkeypatch):
    """spaCy sorts every batch by length; training must not see that order."""
    nlp = make_nlp()
    data = sorted(examples(nlp.vocab), key=lambda eg: len(eg.predicted))
    nlp.initialize(lambda: data)
    parser = parser_of(nlp)
    orders = []

    class Spy:
        def __init__(self, trainer):
            self.trainer = trainer

        def __getattr__(self, name):
            return getattr(self.trainer, name)

        def train(self, batch, iteration):
            orders.append([len(words) for words, _ in batch])
            return self.trainer.train(batch, iteration)

    run = parser.training_run()
    monkeypatch.setattr(run, "trainer", Spy(run.trainer))
    for _ in range(4):
        nlp.update(data)
    lengths = [len(eg.predicted) for eg in data]
    assert all(sorted(order) == lengths for order in orders)
    assert all(order != lengths for order in orders)
    assert len({tuple(order) for order in orders}) == 4


# ---- epochs --------------------------------------------------------------------------


def test_epochs_are_counted_in_examples():
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    assert spy_on_iterations(nlp, data, epochs=3) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_examples_without_a_tree_count_too():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    empty = nlp.make_doc("")
    data += [
        Example(empty, empty.copy()),
        Example(nlp.make_doc("He sat ."), nlp.make_doc("He sat .")),
    ]
    nlp.initialize(lambda: data)
    assert spy_on_iterations(nlp, data, epochs=2) == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("k", [0, 1, 2])
def test_exploration_starts_after_k_epochs(k):
    """With p = 1 the policies part exactly where exploration starts."""
    # Sentences that cannot be told apart, so that there are always errors.
    hard = [
        s._replace(words=("x",) * len(s.words), tags=("X",) * len(s.words))
        for s in SENTENCES
    ]
    models = {}
    for name, exploration in {
        "exploring": {"@misc": "spacy_dynoracle.ErrorExploration.v1", "k": k, "p": 1.0},
        "not exploring": {"@misc": "spacy_dynoracle.NoExploration.v1"},
    }.items():
        nlp = make_nlp(exploration=exploration)
        data = examples(nlp.vocab, hard)
        nlp.initialize(lambda data=data: data)
        models[name] = []
        for _ in range(4):
            nlp.update(data)
            models[name].append(model_bytes(nlp))
    same = [
        a == b
        for a, b in zip(models["exploring"], models["not exploring"], strict=True)
    ]
    assert same == [epoch <= k for epoch in range(1, 5)]


def test_set_epoch_callback():
    nlp = make_nlp(epochs=0)
    data = examples(nlp.vocab)
    callback = spacy.registry.callbacks.get("spacy_dynoracle.set_epoch.v1")(NAME)
    seen = []
    for epoch in (0, 0, 4):
        callback(nlp, {"step": 0, "epoch": epoch})
        seen.append(parser_of(nlp)._iteration())
        nlp.update(data)
    assert seen == [1, 1, 5]


def test_set_epoch_names_a_component_that_is_not_there():
    nlp = make_nlp()
    callback = spacy.registry.callbacks.get("spacy_dynoracle.set_epoch.v1")("parzer")
    with pytest.raises(ValueError, match="parzer") as error:
        callback(nlp, {"step": 0, "epoch": 0})
    assert NAME in str(error.value)


def test_set_epoch_follows_a_renamed_component():
    nlp = spacy.blank("xx")
    nlp.add_pipe(NAME, name="other")
    make = spacy.registry.callbacks.get("spacy_dynoracle.set_epoch.v1")
    make(component="other")(nlp, {"step": 9, "epoch": 2})
    assert nlp.get_pipe("other")._iteration() == 3


def test_a_resumed_model_explores_at_once(own_nlp):
    own_nlp.resume_training()
    assert parser_of(own_nlp)._iteration() > 1000
    update(own_nlp, examples(own_nlp.vocab))
    assert parser_of(own_nlp)._iteration() > 1000


# ---- labels --------------------------------------------------------------------------


def test_labels_are_collected():
    nlp = make_nlp(epochs=0)
    labels = parser_of(nlp).labels
    assert len(labels) == len(set(labels))
    assert set(labels) == ALL_LABELS
    assert nlp.pipe_labels[NAME] == list(labels)


def test_labels_stand_for_the_directions_they_occur_in():
    nlp = make_nlp(epochs=0)
    actions = parser_of(nlp).model.actions
    assert ("LEFT", "det") in actions
    assert ("RIGHT", "det") not in actions
    assert ("LEFT", "root") in actions
    assert {("LEFT", "nmod"), ("RIGHT", "nmod")} <= set(actions.keys)


def test_training_with_label_data_is_the_same_training():
    nlp = make_nlp()
    data = examples(nlp.vocab)
    train(nlp, data, epochs=3)
    other = make_nlp()
    parser_of(other).initialize(lambda: data, labels=parser_of(nlp).label_data)
    update(other, data, epochs=3)
    assert model_bytes(other) == model_bytes(nlp)


def test_initialize_with_a_list_of_labels():
    nlp = make_nlp()
    labels = ["nsubj", "obj", "root"]
    parser_of(nlp).initialize(lambda: examples(nlp.vocab), labels=labels)
    assert set(parser_of(nlp).labels) == set(labels)
    keys = set(parser_of(nlp).model.actions.keys)
    assert {(t, label) for t in ("LEFT", "RIGHT") for label in labels} <= keys


@pytest.mark.parametrize("labels", [{"a": 1}, "nsubj", 7, [1, 2]])
def test_initialize_with_something_else_as_labels(labels):
    nlp = make_nlp()
    with pytest.raises(ValueError, match=rf"{NAME} -> labels"):
        parser_of(nlp).initialize(lambda: examples(nlp.vocab), labels=labels)


def test_no_labels_before_initialize():
    parser = parser_of(make_nlp())
    assert parser.labels == ()
    assert parser.label_data is None


def test_add_label():
    nlp = make_nlp(epochs=3)
    parser = parser_of(nlp)
    before = parse_all(nlp)
    assert parser.add_label("vocative") == 1
    assert parser.add_label("vocative") == 0
    assert parser.add_label("nsubj") == 0
    assert "vocative" in parser.labels
    assert {("LEFT", "vocative"), ("RIGHT", "vocative")} <= set(
        parser.model.actions.keys
    )
    assert parse_all(nlp) == before
    loaded = make_nlp().from_bytes(nlp.to_bytes())
    assert "vocative" in parser_of(loaded).labels


@pytest.mark.parametrize("label", ["\ud800", "nsubj:\udfff", "a||b", "", None])
def test_labels_that_cannot_be_saved_are_refused(label):
    nlp = make_nlp(epochs=0)
    with pytest.raises(ValueError, match=r"no Unicode|reserved|expected a string"):
        parser_of(nlp).add_label(label)
    assert label not in parser_of(nlp).labels


def test_add_label_before_initialize():
    with pytest.raises(ValueError, match="initialize"):
        parser_of(make_nlp()).add_label("nsubj")
