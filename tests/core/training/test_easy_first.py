"""Training of easy-first: what the algorithms say, and giving up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcHybrid, DynamicOracle, EasyFirst, NonDeterministicOracle
from spacy_dynoracle.core.training.easy_first import MAX_UPDATES, EasyFirstTrainer
from spacy_dynoracle.core.training.exploration import ErrorExploration, NoExploration

from ..builders import (
    TREEBANK,
    Tree,
    build_trainer,
    examples,
    heads,
    labels_of,
    partial_trees,
    small_treebanks,
)
from ..naive import assert_same_training
from ..naive_easy_first import NaiveEasyFirstTrainer

WINDOW = (
    "P0w", "P1w", "P0p.P1p", "P-1w", "P-2p", "P2w", "P3p", "P0lp.P1rp", "P0P1d",
    "P-2P-1d", "P-2len", "P-1nc", "P2len", "P3nc", "P0w.vr", "P1p.sl", "P-2rl", "P3l2p",
)  # fmt: skip
FOLLOW, EXPLORE = NoExploration(), ErrorExploration(k=1, p=0.5)
every_policy = pytest.mark.parametrize(
    ("oracle", "exploration"),
    [
        (NonDeterministicOracle(), FOLLOW),
        (DynamicOracle(), ErrorExploration(k=0, p=0)),
        (DynamicOracle(), ErrorExploration(k=0, p=1)),
        (DynamicOracle(), EXPLORE),
    ],
    ids=repr,
)


def easy_trainer(labels=("a", "b", "c"), *, single_root=None, **settings):
    settings = {"templates": WINDOW} | settings
    return build_trainer(labels, system=EasyFirst(single_root=single_root), **settings)


def assert_as_naive(trainer, trees, iterations=(1, 2, 3), **settings):
    naive = NaiveEasyFirstTrainer(trainer, **settings)
    assert_same_training(trainer, naive, trees, iterations)


# ---- as the algorithms say -----------------------------------------------------------


@every_policy
@settings(max_examples=25)
@given(
    trees=small_treebanks(max_trees=3),
    single_root=st.booleans(),
    margin=st.sampled_from([0, 0, 1, 8, 1000]),
)
def test_as_the_naive_trainer(oracle, exploration, trees, single_root, margin):
    trainer = easy_trainer(
        single_root=single_root, oracle=oracle, exploration=exploration, margin=margin
    )
    assert_as_naive(trainer, trees)


@pytest.mark.heavy
@settings(max_examples=25)
@given(partial_trees(heads=heads, max_trees=3))
def test_partial_and_crossing_trees_and_unknown_labels(trees):
    """The transitions of least cost are correct where none is free of it."""
    trainer = easy_trainer(("a", "b"), exploration=EXPLORE)
    assert_as_naive(trainer, trees)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, 1, 2**63])
def test_exploration_draws_once_for_each_wrong_prediction(seed):
    """From one generator, in the order of the decisions."""
    trees = [*TREEBANK, *(t._replace(words=t.words[::-1]) for t in TREEBANK)]
    trainer = easy_trainer(
        labels_of(trees), exploration=ErrorExploration(k=0, p=0.3), seed=seed
    )
    assert_as_naive(trainer, trees, seed=seed)


@pytest.mark.parametrize("labels", [[("LEFT", "a")], [("RIGHT", "a")]])
def test_inventory_without_a_direction(labels):
    """What is not in it is done without a label, when nothing else is legal."""
    trainer = easy_trainer(())
    for name, label in labels:
        trainer.add_action(name, label)
    trees = [Tree(tuple("xyz"), tuple("NVN"), (2, 0, 2), tuple("aaa"))]
    assert_as_naive(trainer, trees)


# ---- what cannot be learned ----------------------------------------------------------

# ROOT -> 1 -> 2 -> 3 over equal words: (1,2) and (2,3) look the same, and 3 must come
# first.
CHAIN = Tree(("x",) * 3, ("N",) * 3, (0, 1, 2), ("a",) * 3)
BLIND = ("P0wp", "P1wp")


def test_a_sentence_is_given_up_after_200_updates():
    trainer = easy_trainer(("a",), templates=BLIND)
    assert MAX_UPDATES == 200
    assert trainer.train(examples([CHAIN], trainer), 1) == (200, 200)
    assert trainer.n_given_up == 1
    # The next sentence starts with a clean slate, and the same one can fail again.
    pairs = examples([CHAIN, TREEBANK[0]._replace(labels=("a",) * 4), CHAIN], trainer)
    n_decisions, n_errors = trainer.train(pairs, 2)
    assert trainer.n_given_up == 3
    assert 400 + 4 <= n_decisions < 600
    assert n_errors == n_decisions - 4


def test_a_long_tree_is_given_up_after_two_updates_for_each_word():
    n = MAX_UPDATES
    chain = Tree(("x",) * n, ("N",) * n, tuple(range(n)), ("a",) * n)
    trainer = easy_trainer(("a",), templates=BLIND)
    assert trainer.train(examples([chain], trainer), 1) == (2 * n, 2 * n)
    assert trainer.n_given_up == 1


@pytest.mark.parametrize(
    ("oracle", "exploration", "n_given_up"),
    [
        (NonDeterministicOracle(), FOLLOW, 2),
        (DynamicOracle(), ErrorExploration(k=0, p=0), 2),
        # Who follows mistakes gets to the end.
        (DynamicOracle(), ErrorExploration(k=0, p=1), 0),
        (DynamicOracle(), EXPLORE, 1),
    ],
    ids=repr,
)
def test_giving_up_as_the_naive_trainer(oracle, exploration, n_given_up):
    trainer = easy_trainer(
        ("a",), oracle=oracle, exploration=exploration, templates=BLIND
    )
    trees = [CHAIN, TREEBANK[0]._replace(labels=("a",) * 4)]
    assert_as_naive(trainer, trees, (1, 2))
    assert trainer.n_given_up == n_given_up


# ---- errors --------------------------------------------------------------------------


def test_which_trainer_for_which_system():
    """The class belongs to systems that choose a pair, and the other one does not."""
    easy, hybrid = easy_trainer(), build_trainer(["a"], system=ArcHybrid())
    assert type(easy) is EasyFirstTrainer
    parts = ("extractor", "actions", "oracle", "exploration", "learner")
    with pytest.raises(ValueError, match="an easy-first system needs EasyFirstTrainer"):
        type(hybrid)(easy.system, *(getattr(easy, part) for part in parts))
    with pytest.raises(ValueError, match="any other one Trainer"):
        EasyFirstTrainer(hybrid.system, *(getattr(hybrid, part) for part in parts))
