"""The averaged perceptron against a naive implementation."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    DynamicOracle,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.training.exploration import ErrorExploration, NoExploration
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from ..builders import (
    SYSTEMS,
    TREEBANK,
    action_scores,
    add_labels,
    build_trainer,
    examples,
    labels_of,
    model_of,
    parse,
    partial_trees,
    projective_heads,
    restricted,
    run_python,
    sentences,
    small_treebanks,
    trained,
)
from ..builders import heads as any_heads
from ..naive import NaiveTrainer, assert_same_training
from ..weights.layout import read_lines, read_weights

SMALL = ("S0w", "S0p", "N0w", "N0p", "N1p", "S0p.N0p", "S0w.vr", "S0p.sl", "S0p.d")
FOLLOW, EXPLORE = NoExploration(), ErrorExploration(k=1, p=0.5)

settings_of_training = pytest.mark.parametrize(
    ("oracle", "exploration"),
    [
        (StaticOracle("shift"), FOLLOW),
        (StaticOracle("reduce"), FOLLOW),
        (NonDeterministicOracle(), FOLLOW),
        (DynamicOracle(), ErrorExploration(k=1, p=0)),
        (DynamicOracle(), ErrorExploration(k=0, p=1)),
        (DynamicOracle(), EXPLORE),
    ],
    ids=repr,
)


# ---- training ------------------------------------------------------------------------


@settings_of_training
@pytest.mark.parametrize("root", ["last", "first", "none"])
@settings(max_examples=20)
@given(
    trees=small_treebanks(),
    margin=st.sampled_from([0, 0, 1, 8, 1000]),
    min_updates=st.sampled_from([0, 0, 3, 10]),
)
def test_as_the_naive_perceptron(oracle, exploration, root, trees, margin, min_updates):
    trainer = build_trainer(
        ("a", "b", "c"),
        root=root,
        oracle=oracle,
        exploration=exploration,
        templates=SMALL,
        learner=lambda n: AveragedPerceptron(n, margin, min_updates=min_updates),
    )
    naive = NaiveTrainer(trainer, min_updates=min_updates)
    assert_same_training(trainer, naive, trees)


# Templates for any system that works from left to right.
STACK = ("S0w", "S1p", "N0w", "N0p", "S0p.N0p", "S1p.S0p", "S1w.vr", "S0p.sl", "S1S0d")
OTHER_SYSTEMS = [
    s for s in SYSTEMS if isinstance(s, ArcHybrid | ArcStandard | ArcHybridSwap)
]
settings_of_systems = pytest.mark.parametrize(
    ("system", "oracle", "exploration"),
    [
        pair
        for system in OTHER_SYSTEMS
        for pair in [
            *((system, StaticOracle(v), FOLLOW) for v in system.static_preferences),
            (system, NonDeterministicOracle(), FOLLOW),
            (system, DynamicOracle(), EXPLORE),
            (system, DynamicOracle(), ErrorExploration(k=0, p=1)),
        ]
    ],
    ids=repr,
)


@settings_of_systems
@settings(max_examples=10)
@given(data=st.data(), single_root=st.booleans())
def test_as_the_naive_perceptron_with_other_systems(
    system, oracle, exploration, data, single_root
):
    """With costs that are remembered for a sentence, and SWAP where it is due."""
    crossing = isinstance(system, ArcHybridSwap)
    trees = small_treebanks(heads=any_heads if crossing else projective_heads)
    trainer = build_trainer(
        ("a", "b", "c"),
        system=restricted(system, single_root),
        oracle=oracle,
        exploration=exploration,
        templates=STACK,
    )
    naive = NaiveTrainer(trainer)
    assert_same_training(trainer, naive, data.draw(trees))


def test_with_a_margin_training_goes_on_after_the_last_error():
    perceptron, wider = (
        build_trainer(labels_of(TREEBANK), margin=margin) for margin in (0.0, 500.0)
    )
    sizes = {}
    for trainer in (perceptron, wider):
        for iteration in range(1, 11):
            _, n_errors = trainer.train(examples(TREEBANK, trainer), iteration)
        assert n_errors == 0
        sizes[trainer] = trainer.learner.freeze().n_parameters
    assert sizes[wider] > sizes[perceptron]


@pytest.mark.parametrize("margin", [-1, 2**20 + 1, 1e30, float("inf"), float("nan")])
def test_what_is_no_margin(margin):
    with pytest.raises(ValueError, match=r"margin = .*: expected 0 to 1048576"):
        AveragedPerceptron(5, margin)
    with pytest.raises(ValueError, match=r"prune = .*: expected a share, 0 to 1"):
        AveragedPerceptron(5, prune=margin)


@pytest.mark.parametrize("min_updates", [-1, 256])
def test_what_is_no_min_updates(min_updates):
    with pytest.raises(ValueError, match=r"min_updates = .*: expected 0 to 255"):
        AveragedPerceptron(5, min_updates=min_updates)


def test_features_of_a_saved_model_are_known():
    learner = AveragedPerceptron(3, min_updates=4)
    learner.resume(FrozenWeights.from_weights({(1, 0): 4.0}, 3, scale=16.0))
    assert read_weights(learner.freeze()).keys() == {(1, 0)}


@given(partial_trees())
def test_partial_trees_and_unknown_labels(trees):
    trainer = build_trainer(("a", "b"), exploration=EXPLORE, templates=SMALL)
    assert_same_training(trainer, NaiveTrainer(trainer), trees)


# ---- the frozen view -----------------------------------------------------------------


@pytest.mark.parametrize(("prune", "min_updates"), [(0, 0), (0.05, 0), (0.05, 6)])
def test_public_view_scores_as_the_frozen_model(prune, min_updates):
    """For common and for rare features, and after there are more actions too."""
    labels = list(map(str, range(30)))
    trees = [
        t._replace(labels=tuple(labels[(i + 7 * k) % 30] for k in range(len(t.words))))
        for i, t in enumerate(TREEBANK * 6)
    ]
    trainer = build_trainer(
        labels,
        templates=("N0p", "S0p", "S0w"),
        learner=lambda n: AveragedPerceptron(n, 100, prune, min_updates),
    )
    public = model_of(trainer, public=True)
    for iteration in range(1, 5):
        trainer.train(examples(trees, trainer), iteration)
        frozen = model_of(trainer)
        for batch in sentences(TREEBANK):
            c = trainer.system.initial(len(batch))
            while not trainer.system.is_terminal(c):
                scores = action_scores(frozen, c, batch)
                assert action_scores(public, c, batch) == scores
                legal = [key for key in scores if key[0] in trainer.system.legal(c)]
                name, label = max(legal, key=scores.__getitem__)
                trainer.system.apply(c, name, label=label)
        # Both kinds of features are there.
        assert len(frozen.weights.arrays()["rows"])
        assert any(read_lines(frozen.weights.arrays(), is_wide=False))
        add_labels(trainer, [f"more {iteration}"])


def test_pickling_a_public_view_freezes_it():
    trainer = trained(TREEBANK)
    copy = pickle.loads(pickle.dumps(model_of(trainer, public=True)))
    expected = read_weights(trainer.learner.freeze())
    trainer.train(examples(TREEBANK, trainer), 4)
    assert read_weights(copy.weights) == expected


# ---- going on from a saved model -----------------------------------------------------


@settings(max_examples=20)
@given(small_treebanks(), small_treebanks())
def test_resume(trees, others):
    """Training starts from the saved weights, and so do the averages."""
    frozen = trained(trees, templates=SMALL).learner.freeze()
    trainer = build_trainer(labels_of(trees), templates=SMALL, exploration=EXPLORE)
    trainer.learner.resume(frozen)
    assert trainer.learner.freeze().scale == frozen.scale
    assert read_weights(trainer.learner.freeze()) == read_weights(frozen)
    add_labels(trainer, labels_of(others))
    naive = NaiveTrainer(trainer, weights=read_weights(frozen))
    assert_same_training(trainer, naive, others, (1, 2))


def with_scale(frozen, scale):
    """The same fixed-point numbers, which mean other weights."""
    return FrozenWeights.from_arrays(frozen.arrays(), frozen.sizes() | {"scale": scale})


@pytest.mark.parametrize("scale", [1.0, 4.0, 128.0, 1024.0])
def test_resume_with_large_weights(scale):
    frozen = with_scale(trained(TREEBANK, 5).learner.freeze(), scale)
    trainer = build_trainer(labels_of(TREEBANK))
    trainer.learner.resume(frozen)
    again = trainer.learner.freeze()
    assert again.scale == scale
    assert read_weights(again) == read_weights(frozen)


def test_resume_needs_as_many_actions():
    """Weights of actions that the learner does not have would have no place."""
    run_python(
        "from tests.core.learners.test_averaged_perceptron import *\n"
        "trainer = build_trainer([*labels_of(TREEBANK), *map(str, range(400))])\n"
        "others = [t._replace(labels=('399',) * len(t.labels)) for t in TREEBANK]\n"
        "trainer.train(examples(others, trainer), 1)\n"
        "weights = trainer.learner.freeze()\n"
        "try: AveragedPerceptron(2).resume(weights)\n"
        "except ValueError: pass\n"
        "else: raise AssertionError('no error')\n"
    )


# ---- more actions --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_labels", "n_more"), [(0, 1), (0, 120), (6, 2), (20, 20), (60, 80), (120, 2)]
)
def test_more_actions_change_no_weight(n_labels, n_more):
    """Rows are sparse or dense, actions have 8 or 16 bits: all survive a resize."""
    labels = [*labels_of(TREEBANK), *map(str, range(n_labels))]
    trainer = build_trainer(labels, templates=SMALL, exploration=EXPLORE)
    naive = NaiveTrainer(trainer)
    assert_same_training(trainer, naive, TREEBANK, (1, 2))
    before = read_weights(trainer.learner.freeze())
    parses = parse(model_of(trainer), sentences(TREEBANK))

    add_labels(trainer, [f"more {i}" for i in range(n_more)])
    frozen = trainer.learner.freeze()
    assert frozen.sizes()["n_actions"] == len(trainer.actions)
    assert read_weights(frozen) == before
    assert parse(model_of(trainer), sentences(TREEBANK)) == parses

    naive.actions = list(trainer.actions.keys)
    label = f"more {n_more - 1}"
    others = [t._replace(labels=(label,) * len(t.labels)) for t in TREEBANK]
    assert_same_training(trainer, naive, others, (3, 4))
    assert len(read_weights(trainer.learner.freeze())) > len(before)
