"""The label of the root, where it is legal on arcs out of ROOT and nowhere else."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, EasyFirst, GoldTree
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.exploration import ErrorExploration

from ..builders import (
    SYSTEMS,
    TREEBANK,
    batches,
    build_trainer,
    every_system,
    examples,
    heads,
    labels_of,
    model_of,
    parse,
    projective_heads,
    restricted,
    sentence,
    small_treebanks,
)
from ..naive import NaiveTrainer, assert_same_training
from ..naive_easy_first import NaiveEasyFirstTrainer

LABELS = ("a", "root", "b")
TEMPLATES = (
    "P0w", "P1w", "P0p.P1p", "P-1w", "P2p", "P0w.vr", "P1p.sl", "P-1p.P0p", "P1p.P2p",
    "P-1p.P0p.P1p", "P0p.P1p.P2p", "P0w.P1w",
)  # fmt: skip
EXPLORE = ErrorExploration(k=0, p=0.5)


def constrained(system, labels=LABELS, **settings):
    """A trainer in which the label of the root is `root`."""
    system = type(system)(system.root, system.single_root, True)
    trainer = build_trainer(labels, system=system, templates=TEMPLATES, **settings)
    trainer.actions.constrain_root_label("root")
    return trainer


def trees_for(system):
    found = projective_heads if system.projective else heads
    return small_treebanks(LABELS, heads=found)


def assert_root_labels(parsed):
    """None stands for a label that the model does not have."""
    for found, labels in parsed:
        for head, label in zip(found, labels, strict=True):
            assert label in ("root", None) if head == 0 else label != "root"


# ---- parsing -------------------------------------------------------------------------


@pytest.mark.heavy
@every_system
@settings(max_examples=25)
@given(data=st.data(), batch=batches(), single_root=st.booleans())
def test_no_parse_violates_it(system, data, batch, single_root):
    """Whatever the weights have learnt from labels that stand anywhere."""
    trainer = constrained(system, exploration=EXPLORE)
    for iteration in (1, 2):
        trainer.train(examples(data.draw(trees_for(system)), trainer), iteration)
    model = model_of(trainer)
    rule = restricted(system, single_root).default_root_rule()
    parsed = parse(model, batch, rule)
    assert_root_labels(parsed)
    for found, labels in parsed:
        # There is an action with every label for each direction.
        assert found == () or None not in labels
    assert parse(read_model(write_model(model)), batch, rule) == parsed


@every_system
@pytest.mark.parametrize("labels", [("a",), ("root",), ()])
def test_inventories_without_a_legal_label(system, labels):
    """What has no legal label is done without a label."""
    trainer = constrained(system, labels)
    model = model_of(trainer)
    for single_root in (False, True):
        rule = restricted(system, single_root).default_root_rule()
        parsed = parse(model, [sentence("x" * n, "x" * n) for n in range(6)], rule)
        assert_root_labels(parsed)


def test_without_the_constraint_labels_stand_anywhere():
    trainer = build_trainer(["root"], system=EasyFirst(), templates=TEMPLATES)
    assert parse(model_of(trainer), [sentence("xx", "xx")])[0][1] == ("root", "root")


# ---- training ------------------------------------------------------------------------


@every_system
@settings(max_examples=25)
@given(data=st.data(), single_root=st.booleans())
def test_training_as_the_naive_trainer(system, data, single_root):
    """A gold label on the wrong side counts as unknown."""
    system = restricted(system, single_root)
    trainer = constrained(system, exploration=EXPLORE)
    make = NaiveEasyFirstTrainer if system.chooses_pair else NaiveTrainer
    naive = make(trainer, root_label="root")
    assert_same_training(trainer, naive, data.draw(trees_for(system)), (1, 2))


@every_system
@pytest.mark.parametrize(
    ("labels", "n_errors"), [(("a", "root"), 0), (("root", "a"), 0), (("b", "root"), 1)]
)
def test_gold_labels_on_the_wrong_side_teach_nothing(system, labels, n_errors):
    """1 <- 2 <- ROOT, with `root` and `a` as the legal labels, `b` is one more."""
    trainer = constrained(system, ("a", "root", "b"))
    gold = GoldTree([2, 0], labels, trainer.actions.labels)
    # So that the arcs themselves have been learned.
    right = GoldTree([2, 0], ["a", "root"], trainer.actions.labels)
    words = sentence("xy", "xy")
    for iteration in range(1, 10):
        trainer.train([(words, right)], iteration)
    assert trainer.train([(words, right)], 10)[1] == 0
    assert trainer.train([(words, gold)], 11)[1] == n_errors


# ---- the inventory -------------------------------------------------------------------


def test_a_label_that_no_action_has():
    actions = Actions(ArcEager())
    actions.constrain_root_label("root")
    assert list(actions.labels) == ["root"]
    assert actions.keys == [("SHIFT", None), ("REDUCE", None)]


@every_system
@pytest.mark.parametrize("make", ["pickle", "copy", "file"])
def test_copies_keep_it(system, make):
    """And so do models that are trained on."""
    trainer = constrained(system, labels_of(TREEBANK), exploration=EXPLORE)
    trainer.train(examples(TREEBANK, trainer), 1)
    model = model_of(trainer)
    if make == "file":
        copy = read_model(write_model(model))
        assert write_model(copy) == write_model(model)
        assert copy.system.root_label_constraint
        actions = copy.actions
    else:
        actions = {
            "pickle": lambda: pickle.loads(pickle.dumps(model.actions)),
            "copy": model.actions.copy,
        }[make]()
    assert actions.keys == model.actions.keys
    actions.add("LEFT", "one more")
    blind = build_trainer((), system=system, templates=TEMPLATES)
    for name, label in actions.keys:
        blind.add_action(name, label)
    for found in (actions, pickle.loads(pickle.dumps(actions))):
        # An untrained model takes the first legal label it has.
        model = model_with(blind, found)
        assert_root_labels(parse(model, [sentence("xyzxy", "xyzxy")]))


def model_with(trainer, actions):
    """The model of a trainer with another inventory of the same actions."""
    return type(model_of(trainer))(
        actions.system,
        trainer.extractor,
        actions,
        trainer.learner.freeze(),
        {"w": "ORTH", "p": "TAG"},
        "root",
        "AveragedPerceptron",
    )


def test_a_model_file_with_another_kind_of_constraint():
    trainer = constrained(SYSTEMS[0])
    data = write_model(model_of(trainer))
    assert read_model(data).system.settings()["root_label_constraint"] is True
    plain = build_trainer(LABELS, system=SYSTEMS[0], templates=TEMPLATES)
    data = write_model(model_of(plain))
    assert read_model(data).system.settings()["root_label_constraint"] is False
