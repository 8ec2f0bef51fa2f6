"""AdaGrad-RDA: whole training runs against a naive implementation."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spacy_dynoracle import (
    ArcEager,
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    DynamicOracle,
    EasyFirst,
    ErrorExploration,
    GoldTree,
    NoExploration,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from spacy_dynoracle.core.training.exploration import SamplingExploration

from ..builders import (
    TREEBANK,
    Tree,
    add_labels,
    bytes_after_training,
    examples,
    heads,
    labels_of,
    model_of,
    parse,
    partial_trees,
    sentence,
    sentences,
    small_treebanks,
    trained,
)
from ..naive_rda import NaiveRDATrainer
from ..weights.layout import factor_of, read_weights
from .rda_trainers import assert_same_weights, build_rda, train_both

FOLLOW, SAMPLE = NoExploration(), SamplingExploration()
LEFT_TO_RIGHT = [
    ArcEager(root="last"),
    ArcEager(root="none"),
    ArcHybrid(root="first"),
    ArcStandard(root="first"),
]
of_each_system = pytest.mark.parametrize(
    "system",
    [*LEFT_TO_RIGHT, EasyFirst()],
    ids=lambda s: f"{type(s).__name__}-{s.root}",
)
of_each_oracle = pytest.mark.parametrize(
    ("oracle", "exploration"),
    [
        (StaticOracle(), FOLLOW),
        (NonDeterministicOracle(), FOLLOW),
        (DynamicOracle(), FOLLOW),
        (DynamicOracle(), ErrorExploration(k=1, p=0.5)),
        (DynamicOracle(), SAMPLE),
        (DynamicOracle(), SamplingExploration(k=1)),
    ],
    ids=repr,
)


# ---- training ------------------------------------------------------------------------


@of_each_system
@of_each_oracle
@settings(max_examples=8)
@given(
    trees=small_treebanks(max_trees=3, max_words=5),
    l1=st.sampled_from([0, 0.001, 0.05]),
)
def test_as_the_naive_learner(system, oracle, exploration, trees, l1):
    if system.chooses_pair and isinstance(oracle, StaticOracle):
        return
    trainer = build_rda(
        system, ("a", "b", "c"), oracle=oracle, exploration=exploration, l1=l1, seed=3
    )
    naive = NaiveRDATrainer(trainer, seed=3)
    train_both(trainer, naive, trees, (1, 2, 3))
    assume(not naive.is_in_doubt)
    assert_same_weights(trainer, naive)


@settings(max_examples=15)
@given(trees=small_treebanks(), crossing=st.lists(heads(6, min_words=1), max_size=3))
def test_with_swap(trees, crossing):
    """SWAP may be drawn where it is wrong, but is not done there."""
    trees = trees + [
        Tree(("x",) * len(h), ("N",) * len(h), h, ("a",) * len(h)) for h in crossing
    ]
    trainer = build_rda(ArcHybridSwap(), ("a", "b", "c"), exploration=SAMPLE)
    naive = NaiveRDATrainer(trainer)
    train_both(trainer, naive, trees, (1, 2))
    assert_same_weights(trainer, naive)


@settings(max_examples=20)
@given(partial_trees())
def test_partial_trees_and_unknown_labels(trees):
    trainer = build_rda(ArcEager(), ("a", "b"), exploration=SAMPLE)
    naive = NaiveRDATrainer(trainer)
    train_both(trainer, naive, trees, (1, 2, 3))
    assert_same_weights(trainer, naive)


@of_each_system
def test_labels_of_the_root_are_legal_there_only(system):
    """The probabilities of the drawn actions are those of the legal labels."""
    system = type(system)(system.root, None, True)
    trainer = build_rda(system, labels_of(TREEBANK), exploration=SAMPLE, l1=0.001)
    trainer.actions.constrain_root_label("root")
    naive = NaiveRDATrainer(trainer, root_label="root")
    train_both(trainer, naive, TREEBANK, (1, 2))
    assert_same_weights(trainer, naive)


def test_nothing_is_learned_where_no_action_is_correct():
    """Only LEFT is correct here, and there is no such action."""
    trainer = build_rda(ArcEager(root="none"), [])
    trainer.add_action("RIGHT", "a")
    gold = GoldTree([2, 0], ["a", "a"], inventory=trainer.actions.labels)
    assert trainer.train([(sentence("xy", "xy"), gold)], 1) == (2, 0)
    assert trainer.learner.n_updates == 0
    assert read_weights(trainer.learner.freeze()) == {}


# ---- determinism ---------------------------------------------------------------------


def run(system, seed, exploration=SAMPLE, **parameters):
    settings = {"exploration": exploration, "seed": seed, "l1": 0.001, **parameters}
    trainer = build_rda(system, labels_of(TREEBANK), **settings)
    return bytes_after_training(trainer, TREEBANK)


@of_each_system
def test_same_seed_same_bytes(system):
    assert run(system, 5) == run(system, 5)
    assert len({run(system, seed) for seed in range(5)}) == 5


# ---- going on from a saved model -----------------------------------------------------


@of_each_system
@settings(max_examples=5)
@given(
    small_treebanks(max_trees=2, max_words=5),
    small_treebanks(("a", "b", "d"), max_trees=2, max_words=5),
)
def test_resume(system, trees, others):
    """Training starts from the saved weights."""
    before = build_rda(system, ("a", "b", "c"), l1=0.01)
    before.train(examples(trees, before), 1)
    frozen = before.learner.freeze()
    trainer = build_rda(system, ("a", "b", "c"), exploration=SAMPLE, l1=0.001)
    trainer.learner.resume(frozen)
    assert trainer.learner.freeze().scale == frozen.scale
    assert read_weights(trainer.learner.freeze()) == read_weights(frozen)
    add_labels(trainer, ["d"])
    naive = NaiveRDATrainer(trainer, weights=read_weights(frozen))
    train_both(trainer, naive, others, (1, 2))
    assert_same_weights(trainer, naive)


def test_resume_from_a_perceptron():
    frozen = trained(TREEBANK, 5).learner.freeze()
    trainer = build_rda(
        ArcEager(), labels_of(TREEBANK), templates=ZHANG_NIVRE_2011, alpha=0.3
    )
    trainer.learner.resume(frozen)
    assert read_weights(trainer.learner.freeze()) == read_weights(frozen)
    batch = sentences(TREEBANK)
    public = model_of(trainer, public=True)
    assert parse(public, batch) == [(t.heads, t.labels) for t in TREEBANK]


def test_resume_needs_as_many_actions():
    weights = trained(TREEBANK).learner.freeze()
    trainer = build_rda(ArcEager(), ["a"])
    with pytest.raises(ValueError, match=r"for 4 actions cannot start from weights"):
        trainer.learner.resume(weights)


# ---- more actions --------------------------------------------------------------------


def assert_alike(earlier, later):
    """The same weights.

    For another number of actions, some are rounded to 8 bits that were not, or the
    other way around.
    """
    before, after = read_weights(earlier), read_weights(later)
    largest = {}
    for (key, _), weight in [*before.items(), *after.items()]:
        largest[key] = max(largest.get(key, 0), abs(weight) * later.scale)
    for key, action in before.keys() | after.keys():
        difference = abs(before.get((key, action), 0) - after.get((key, action), 0))
        assert difference * later.scale <= max(1, factor_of(largest[key]) / 2 + 0.6)
    assert len(before.keys() & after.keys()) > 0.9 * len(before)


# The width of actions has nothing to do with the system.
@pytest.mark.parametrize(
    ("system", "n_labels", "n_more"),
    [(system, 0, 1) for system in [*LEFT_TO_RIGHT, EasyFirst()]]
    + [(ArcEager(), 0, 120), (ArcEager(), 6, 2), (ArcEager(), 60, 80)]
    + [(EasyFirst(), 0, 120)],
    ids=repr,
)
def test_more_actions_change_no_weight(system, n_labels, n_more):
    """Rows are sparse or dense, actions have 8 or 16 bits: all survive a resize."""
    labels = [*labels_of(TREEBANK), *map(str, range(n_labels))]
    trainer = build_rda(system, labels, l1=0.0005, exploration=SAMPLE)
    naive = NaiveRDATrainer(trainer)
    train_both(trainer, naive, TREEBANK, (1, 2))
    # Twice: what training left in places for future actions would show now.
    for more in ("more", "still more"):
        earlier = trainer.learner.freeze()
        add_labels(trainer, [f"{more} {i}" for i in range(n_more)])
        frozen = trainer.learner.freeze()
        assert frozen.sizes()["n_actions"] == len(trainer.actions)
        assert_alike(earlier, frozen)

        naive.learner.resize(len(trainer.actions))
        labels = (f"{more} {n_more - 1}",)
        others = [t._replace(labels=labels * len(t.labels)) for t in TREEBANK]
        train_both(trainer, naive, others, (3, 4))
        assert_same_weights(trainer, naive)
        newest = len(trainer.actions) - 1
        assert newest in {a for _, a in read_weights(trainer.learner.freeze())}


def test_more_actions_after_a_sentence_was_given_up():
    """The last decision had several pairs, whose gradients must not go anywhere."""
    # Two pairs that look the same, of which the first is wrong.
    hopeless = Tree("xxx", "NNN", (0, 1, 2), ("a", "a", "a"))
    trainer = build_rda(EasyFirst(), "abcdefg", templates=("P0t", "P0w"))
    naive = NaiveRDATrainer(trainer)
    for more in ("hi", "jk"):
        train_both(trainer, naive, [hopeless], [1])
        assert trainer.n_given_up > 0
        assert_same_weights(trainer, naive)
        add_labels(trainer, more)
        naive.learner.resize(len(trainer.actions))
        assert_same_weights(trainer, naive)
