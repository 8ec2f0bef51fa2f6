"""Exploration policies: settings, errors, and when they draw random numbers."""

import pickle

import pytest

from spacy_dynoracle.core.random import Random
from spacy_dynoracle.core.training.exploration import (
    ErrorExploration,
    NoExploration,
)

from ..builders import Tree, build_trainer, examples, labels_of

# Nothing can be learnt from these: equal words in different trees.
CONTRADICTIONS = [
    Tree(("x", "x", "x"), ("N", "N", "N"), heads, ("a", "b", "c"))
    for heads in [(2, 0, 2), (0, 1, 2), (3, 1, 0), (0, 0, 0)]
]


def draws_of(trainer, most=1000):
    """How many numbers the trainer has drawn from its generator, which has seed 0."""
    after = list(range(30))
    trainer.random.shuffle(after)
    for drawn in range(most):
        random, items = Random(0), list(range(30))
        for _ in range(drawn):
            # Two items take one number.
            random.shuffle([0, 1])
        random.shuffle(items)
        if items == after:
            return drawn
    raise AssertionError(f"more than {most} numbers")


@pytest.mark.parametrize(
    ("exploration", "text"),
    [
        (ErrorExploration(), "ErrorExploration(k=1, p=0.9)"),
        (ErrorExploration(k=0, p=1), "ErrorExploration(k=0, p=1.0)"),
        (NoExploration(), "NoExploration()"),
    ],
)
def test_repr_and_pickle(exploration, text):
    assert repr(exploration) == text
    assert repr(pickle.loads(pickle.dumps(exploration))) == text


@pytest.mark.parametrize("k", [-1, 0.5, -0.5])
def test_k_must_be_a_number_of_iterations(k):
    with pytest.raises(ValueError, match=r"exploration k = .*an integer from 0"):
        ErrorExploration(k=k)


@pytest.mark.parametrize("p", [-0.1, 1.01, float("nan"), float("inf")])
def test_p_must_be_a_probability(p):
    with pytest.raises(ValueError, match=r"exploration p = .*a probability"):
        ErrorExploration(p=p)


@pytest.mark.parametrize("arguments", [{"k": "1"}, {"p": "0.9"}, {"p": None}])
def test_other_types(arguments):
    with pytest.raises(TypeError):
        ErrorExploration(**arguments)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_one_draw_for_each_wrong_prediction_after_iteration_k(k):
    trainer = build_trainer(
        labels_of(CONTRADICTIONS), exploration=ErrorExploration(k=k, p=0.5)
    )
    expected = 0
    for iteration in (1, 2, 3):
        _, n_errors = trainer.train(examples(CONTRADICTIONS, trainer), iteration)
        assert n_errors > 0
        expected += n_errors if iteration > k else 0
    assert draws_of(trainer) == expected


def test_no_draw_without_exploration():
    trainer = build_trainer(labels_of(CONTRADICTIONS), exploration=NoExploration())
    for iteration in (1, 2, 3):
        trainer.train(examples(CONTRADICTIONS, trainer), iteration)
    assert draws_of(trainer) == 0


def test_no_draw_where_all_is_right(treebank):
    trainer = build_trainer(
        labels_of(treebank), exploration=ErrorExploration(k=50, p=0.9)
    )
    for iteration in range(1, 51):
        _, n_errors = trainer.train(examples(treebank, trainer), iteration)
    assert n_errors == 0
    trainer.train(examples(treebank, trainer), 51)
    assert draws_of(trainer) == 0
