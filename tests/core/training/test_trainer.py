"""The trainer: determinism, convergence, errors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    EasyFirst,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.exploration import ErrorExploration, NoExploration
from spacy_dynoracle.core.training.trainer import Trainer

from ..builders import (
    TREEBANK,
    Tree,
    build_trainer,
    bytes_after_training,
    examples,
    labels_of,
    run_python,
    sentence,
    small_treebanks,
    trained,
)

STATIC = [StaticOracle("shift"), StaticOracle("reduce"), NonDeterministicOracle()]
# Words that cannot be told apart: exploration always has mistakes to follow.
HOPELESS = [
    Tree(("x",) * n, ("N",) * n, heads, ("a",) * n)
    for heads in [(2, 0, 2, 5, 2), (0, 1, 2, 3), (3, 1, 0), (0, 0, 0), (5, 5, 4, 5, 0)]
    for n in [len(heads)]
]


def run(trees, seed, **settings):
    trainer = build_trainer(
        labels_of(trees),
        exploration=ErrorExploration(k=1, p=0.5),
        seed=seed,
        **settings,
    )
    return bytes_after_training(trainer, trees)


# ---- determinism ---------------------------------------------------------------------


@settings(max_examples=20)
@given(small_treebanks(), st.integers(0, 2**64 - 1))
def test_same_seed_same_bytes(trees, seed):
    assert run(trees, seed) == run(trees, seed)


def test_other_seeds_give_other_models():
    assert len({run(HOPELESS, seed) for seed in range(10)}) == 10


@pytest.mark.heavy
def test_same_bytes_in_another_process():
    """No hash of a string or address of an object gets into a model."""
    run_python(
        "import hashlib\n"
        "from spacy_dynoracle import ArcEager, DynamicOracle\n"
        "from tests.core.training.test_trainer import HOPELESS, run\n"
        f"assert run(HOPELESS, 7) == bytes.fromhex('{run(HOPELESS, 7).hex()}')\n"
    )


# ---- convergence ---------------------------------------------------------------------


@pytest.mark.parametrize(("system", "n"), [(ArcEager(), 6), (EasyFirst(), 3)])
def test_nothing_to_learn(system, n):
    trainer = build_trainer(["a"], system=system, templates=("P0w", "P0p"))
    assert trainer.train([], 1) == (0, 0)
    empty = (sentence((), ()), GoldTree([], inventory=trainer.actions.labels))
    assert trainer.train([empty], 1) == (0, 0)
    unknown = GoldTree([None] * 3, inventory=trainer.actions.labels)
    assert trainer.train([(sentence("abc", "abc"), unknown)], 1) == (n, 0)


# ---- errors --------------------------------------------------------------------------


@pytest.mark.parametrize("oracle", STATIC, ids=repr)
def test_exploration_needs_a_complete_oracle(oracle):
    with pytest.raises(
        ValueError, match=r"leaves the gold derivations, where .* is not"
    ):
        build_trainer(["a"], oracle=oracle, exploration=ErrorExploration())
    # With p = 0 it never leaves them.
    build_trainer(["a"], oracle=oracle, exploration=ErrorExploration(p=0))


def test_unknown_variant_of_the_static_oracle():
    with pytest.raises(ValueError, match="has no static oracle 'lazy'"):
        build_trainer(["a"], oracle=StaticOracle("lazy"))


def test_sentence_and_tree_of_different_lengths():
    trainer = build_trainer(["a"])
    gold = GoldTree([0, 1], inventory=trainer.actions.labels)
    with pytest.raises(
        ValueError, match=r"of 3 words cannot have a gold tree\s+over 2"
    ):
        trainer.train([(sentence("abc", "abc"), gold)], 1)
    assert trainer.n_decisions == 0


def test_labels_of_another_inventory():
    trainer = build_trainer(["a"])
    with pytest.raises(
        ValueError, match=r"the labels of GoldTree\(.* are not those of"
    ):
        trainer.train([(sentence("x", "x"), GoldTree([0], ["a"]))], 1)


@pytest.mark.parametrize("columns", [("xy",), ("xy", "xy", "xy")])
def test_sentence_with_other_columns_than_the_templates(columns):
    trainer = build_trainer(["a"])
    gold = GoldTree([0, 1], inventory=trainer.actions.labels)
    with pytest.raises(ValueError, match="attributes"):
        trainer.train([(sentence(*columns), gold)], 1)


@pytest.mark.parametrize("pair", [(None, None), (sentence("x", "x"), None), 1, "ab"])
def test_what_is_no_example(pair):
    with pytest.raises((TypeError, ValueError)):
        build_trainer(["a"]).train([pair], 1)


UNFIT = """
from tests.core.training.test_trainer import *

def trainer_of(keys, n_actions):
    system = ArcEager()
    actions = Actions(system)
    for name, label in keys:
        actions.add(name, label)
    extractor = Extractor(FeatureTemplates(["S0w", "N0p"]))
    learner = AveragedPerceptron(n_actions)
    return Trainer(
        system, extractor, actions, DynamicOracle(), NoExploration(), learner
    )

def train(trainer):
    for iteration in range(1, 20):
        trainer.train(examples(TREEBANK, trainer), iteration)

def add_behind_its_back(trainer):
    for i in range(200):
        trainer.actions.add("LEFT", str(i))
    return trainer

try:
    train({trainer})
except ValueError:
    pass
"""
MANY = "[('LEFT', str(i)) for i in range(200)]"


@pytest.mark.heavy
@pytest.mark.parametrize(
    "trainer",
    [
        # LEFT is all that is legal in the end, and there is no such action.
        pytest.param("trainer_of([], 2)", id="no arcs"),
        pytest.param("trainer_of([('RIGHT', 'a')], 3)", id="no arcs to the left"),
        pytest.param(f"trainer_of({MANY}, 2)", id="small learner"),
        pytest.param(
            "add_behind_its_back(trainer_of([('LEFT', 'a')], 3))", id="grown inventory"
        ),
    ],
)
def test_unfit_actions_are_refused_or_harmless(trainer):
    """An error is fine and so is training; a crash or an endless loop is not."""
    run_python(UNFIT.format(trainer=trainer))


def test_parts_are_needed():
    system = ArcEager()
    actions = Actions(system)
    parts = [
        system,
        Extractor(FeatureTemplates(["S0w"])),
        actions,
        DynamicOracle(),
        NoExploration(),
        AveragedPerceptron(2),
    ]
    Trainer(*parts)
    for i in range(len(parts)):
        with pytest.raises(TypeError):
            Trainer(*parts[:i], None, *parts[i + 1 :])


def test_add_action():
    trainer = trained(TREEBANK)
    n = len(trainer.actions)
    trainer.add_action("LEFT", "nsubj")
    trainer.add_action("SHIFT")
    assert len(trainer.actions) == n
    trainer.add_action("LEFT", "new")
    assert len(trainer.actions) == n + 1
    with pytest.raises(ValueError, match="LEFT with label None is no action"):
        trainer.add_action("LEFT")
    trainer.train(examples(TREEBANK, trainer), 4)
