"""The trainer: determinism, convergence, errors."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    GoldTree,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.features.extractor import Extractor
from spacy_dynoracle.core.features.templates import FeatureTemplates
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.model.file import write_model
from spacy_dynoracle.core.systems.actions import Actions
from spacy_dynoracle.core.training.exploration import (
    ErrorExploration,
    NoExploration,
)
from spacy_dynoracle.core.training.trainer import Trainer

from ..builders import (
    ROOTS,
    TREEBANK,
    Tree,
    build_trainer,
    bytes_after_training,
    examples,
    labels_of,
    model_of,
    parse,
    run_python,
    sentence,
    sentences,
    small_treebanks,
    trained,
)
from ..weights.layout import read_weights

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


def test_exploration_matters():
    """Following mistakes leads to configurations that the oracle never shows."""

    def weights(exploration):
        trainer = build_trainer(["a"], exploration=exploration)
        for iteration in (1, 2):
            trainer.train(examples(HOPELESS, trainer), iteration)
        return write_model(model_of(trainer))

    never = weights(NoExploration())
    assert weights(ErrorExploration(k=1, p=1)) != never
    assert weights(ErrorExploration(k=0, p=1)) != weights(ErrorExploration(k=1, p=1))
    # Too late, or never.
    assert weights(ErrorExploration(k=2, p=1)) == never
    assert weights(ErrorExploration(k=0, p=0)) == never


# ---- convergence ---------------------------------------------------------------------


def until_perfect(trees, trainer, most=30):
    """Train until an iteration has no mistake."""
    pairs = examples(trees, trainer)
    for iteration in range(1, most + 1):
        n_decisions, n_errors = trainer.train(pairs, iteration)
        assert n_decisions > 0
        if n_errors == 0:
            return
    raise AssertionError(f"{n_errors} mistakes after {most} iterations")


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize(
    ("oracle", "exploration"),
    [
        *((oracle, NoExploration()) for oracle in STATIC),
        (DynamicOracle(), NoExploration()),
        (DynamicOracle(), ErrorExploration(k=1, p=0.9)),
    ],
    ids=repr,
)
def test_converges(treebank, root, oracle, exploration):
    trainer = build_trainer(
        labels_of(treebank), root=root, oracle=oracle, exploration=exploration
    )
    until_perfect(treebank, trainer)
    # The averages follow once the weights have stood still for some time.
    for _ in range(50):
        trainer.train(examples(treebank, trainer), 31)
    batch = [(t.heads, t.labels) for t in treebank]
    assert parse(model_of(trainer), sentences(treebank)) == batch


@pytest.mark.parametrize("oracle", [*STATIC, DynamicOracle()], ids=repr)
@settings(max_examples=20)
@given(trees=small_treebanks())
def test_without_exploration_training_follows_the_gold_derivation(oracle, trees):
    """Also from the first iteration on: each has the number of its transitions."""
    trainer = build_trainer(("a", "b", "c"), oracle=oracle, root="none")
    n_decisions, _ = trainer.train(examples(trees, trainer), 1)
    expected = 0
    for t in trees:
        system, gold = ArcEager(root="none"), GoldTree(t.heads)
        c = system.initial(len(t.heads))
        while not system.is_terminal(c):
            system.apply(c, min(oracle.correct(system, c, gold)))
            expected += 1
    if oracle.needs_full_tree:
        assert n_decisions == expected
    # Where two transitions are correct the derivations of a tree differ in length by
    # the words that are popped before the end; each word is read exactly once.
    n_words = sum(len(t.heads) for t in trees)
    assert n_words <= n_decisions <= 2 * n_words


@pytest.mark.parametrize("exploration", [NoExploration(), ErrorExploration(k=0, p=1)])
def test_two_decisions_a_word(exploration):
    """With ROOT last every derivation has 2n transitions, forced ones included."""
    trainer = build_trainer(["a"], exploration=exploration)
    for iteration in (1, 2):
        n_decisions, _ = trainer.train(examples(HOPELESS, trainer), iteration)
        assert n_decisions == 2 * sum(len(t.words) for t in HOPELESS)
    assert trainer.n_decisions == 2 * n_decisions


def test_nothing_to_learn():
    trainer = build_trainer(["a"])
    assert trainer.train([], 1) == (0, 0)
    empty = (sentence((), ()), GoldTree([], inventory=trainer.actions.labels))
    assert trainer.train([empty], 1) == (0, 0)
    unknown = GoldTree([None] * 3, inventory=trainer.actions.labels)
    assert trainer.train([(sentence("abc", "abc"), unknown)], 1) == (6, 0)


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


def test_learner_for_fewer_actions():
    """Refused at once, or else its weights can be saved."""
    system = ArcEager()
    actions = Actions(system)
    for name, label in [("LEFT", "a"), ("RIGHT", "a"), ("LEFT", "b")]:
        actions.add(name, label)
    extractor = Extractor(FeatureTemplates(["S0w", "N0p"]))
    parts = system, extractor, actions, DynamicOracle(), NoExploration()
    try:
        trainer = Trainer(*parts, AveragedPerceptron(2))
    except ValueError:
        return
    trainer.train(examples(TREEBANK, trainer), 1)
    assert len(read_weights(trainer.learner.freeze())) > 0


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
