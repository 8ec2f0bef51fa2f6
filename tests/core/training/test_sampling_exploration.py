"""Exploration by sampling: with whom, and how often what is drawn."""

import math

import pytest

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    EasyFirst,
    ErrorExploration,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.training.exploration import SamplingExploration
from spacy_dynoracle.core.training.trainer import check_training

from ..builders import TREEBANK, build_trainer, labels_of
from ..learners.rda_trainers import assert_same_weights, build_rda, train_both
from ..naive_rda import NaiveRDATrainer

# ---- with whom -----------------------------------------------------------------------


def test_a_perceptron_has_no_probabilities():
    expected = r"SamplingExploration\(k=0\) draws from .* AveragedPerceptron does not"
    with pytest.raises(ValueError, match=expected):
        build_trainer(["a"], exploration=SamplingExploration())
    with pytest.raises(ValueError, match=expected):
        check_training(
            ArcEager(), DynamicOracle(), SamplingExploration(), AveragedPerceptron(2)
        )
    check_training(
        ArcEager(), DynamicOracle(), ErrorExploration(), AveragedPerceptron(2)
    )


@pytest.mark.parametrize("oracle", [StaticOracle(), NonDeterministicOracle()], ids=repr)
def test_sampling_needs_a_complete_oracle(oracle):
    with pytest.raises(ValueError, match="leaves the gold derivations"):
        build_rda(ArcEager(), "a", oracle=oracle, exploration=SamplingExploration(k=9))


# ---- what ----------------------------------------------------------------------------


@pytest.mark.parametrize("system", [ArcEager(), EasyFirst()], ids=repr)
def test_draws_of_a_whole_training(system):
    """The drawn actions are as probable as they should be, and legal."""
    trainer = build_rda(
        system, labels_of(TREEBANK), exploration=SamplingExploration(), l1=0.001
    )
    naive = NaiveRDATrainer(trainer)
    train_both(trainer, naive, TREEBANK, range(1, 9))
    # The same weights from the same draws.
    assert_same_weights(trainer, naive)
    assert len(naive.draws) == naive.learner.n_updates >= 200
    best, variance = 0.0, 0.0
    for taken, probabilities, legal in naive.draws:
        assert legal[taken]
        largest = max(probabilities)
        best += (taken == probabilities.index(largest)) - largest
        variance += largest * (1 - largest)
    # Five standard deviations of how often the most probable action was drawn.
    assert abs(best) < 5 * math.sqrt(variance)
