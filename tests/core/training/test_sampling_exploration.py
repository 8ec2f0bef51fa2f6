"""Exploration by sampling: what is drawn, when, and for whom."""

import math
import pickle
from collections import Counter

import pytest

from spacy_dynoracle import (
    ArcEager,
    DynamicOracle,
    EasyFirst,
    ErrorExploration,
    GoldTree,
    NoExploration,
    NonDeterministicOracle,
    StaticOracle,
)
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.training.exploration import SamplingExploration
from spacy_dynoracle.core.training.trainer import check_training
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from ..builders import TREEBANK, build_trainer, examples, labels_of, sentence
from ..learners.rda_trainers import assert_same_weights, build_rda, train_both
from ..mersenne import Mersenne
from ..naive_rda import NaiveRDATrainer, shares
from ..weights.layout import read_weights
from .test_exploration import CONTRADICTIONS, draws_of


@pytest.mark.parametrize("k", [0, 3])
def test_repr_and_pickle(k):
    exploration = pickle.loads(pickle.dumps(SamplingExploration(k=k)))
    assert repr(exploration) == f"SamplingExploration(k={k})"
    assert exploration.k == k
    assert SamplingExploration().k == 0
    assert exploration.samples
    assert not ErrorExploration().samples


@pytest.mark.parametrize("k", [-1, 0.5, -0.5])
def test_k_must_be_a_number_of_iterations(k):
    with pytest.raises(ValueError, match=r"exploration k = .*an integer from 0"):
        SamplingExploration(k=k)


def test_k_must_be_a_number():
    with pytest.raises(TypeError):
        SamplingExploration(k="1")


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


# ---- when ----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, 1, 2])
def test_one_draw_for_each_choice_after_iteration_k(k):
    trainer = build_rda(
        ArcEager(), labels_of(CONTRADICTIONS), exploration=SamplingExploration(k=k)
    )
    expected = 0
    for iteration in (1, 2, 3):
        before = trainer.learner.n_updates
        trainer.train(examples(CONTRADICTIONS, trainer), iteration)
        n_choices = trainer.learner.n_updates - before
        assert 0 < n_choices < trainer.n_decisions
        expected += n_choices if iteration > k else 0
    assert draws_of(trainer) == expected


def test_k_iterations_follow_the_oracle():
    """As training without exploration does, and not a moment longer."""
    sampling, following = (
        build_rda(ArcEager(), labels_of(CONTRADICTIONS), exploration=exploration)
        for exploration in (SamplingExploration(k=3), NoExploration())
    )

    def train(iteration):
        for trainer in (sampling, following):
            trainer.train(examples(CONTRADICTIONS, trainer), iteration)
        return (
            read_weights(trainer.learner.freeze()) for trainer in (sampling, following)
        )

    for iteration in (1, 2, 3):
        a, b = train(iteration)
        assert a == b
    a, b = train(4)
    assert a != b


# ---- what ----------------------------------------------------------------------------

# After SHIFT there is a choice between SHIFT, LEFT and RIGHT. These templates tell in
# the next decision which of them was taken, with which label.
TELLING = ("S0w.S0l.S0ll",)
LABELS = ("a", "b")
WORDS = sentence("xyz")
SCORES = {
    ("SHIFT", None): 0.25,
    ("REDUCE", None): 9.0,
    ("LEFT", "a"): 1.5,
    ("RIGHT", "a"): -1.0,
    ("LEFT", "b"): 0.5,
    ("RIGHT", "b"): 1.0,
}
LEGAL = [key for key in SCORES if key != ("REDUCE", None)]


def configurations(trainer):
    """The first configuration with a choice, and the next one after each action."""
    c = NaiveRDATrainer(trainer).initial(3)
    trainer.system.apply(c, "SHIFT")
    after = {}
    for name, label in LEGAL:
        after[name, label] = c.copy()
        trainer.system.apply(after[name, label], name, label=label)
        if name == "LEFT":
            trainer.system.apply(after[name, label], "SHIFT")
    return c, after


def first_draw(seed, **settings):
    """The action that is taken in the first configuration with a choice."""
    trainer = build_rda(
        ArcEager(root="none"),
        LABELS,
        templates=TELLING,
        exploration=SamplingExploration(),
        seed=seed,
        **settings,
    )
    c, after = configurations(trainer)
    (key,) = trainer.extractor.keys(c, WORDS)
    actions = list(trainer.actions.keys)
    start = FrozenWeights.from_weights(
        {(key, actions.index(a)): score for a, score in SCORES.items()},
        len(actions),
        scale=128.0,
    )
    trainer.learner.resume(start)
    gold = GoldTree([2, 0, 2], ["a"] * 3, inventory=trainer.actions.labels)
    trainer.train([(WORDS, gold)], 1)
    touched = {key for key, _ in read_weights(trainer.learner.freeze())}
    (taken,) = [
        action
        for action, there in after.items()
        if trainer.extractor.keys(there, WORDS)[0] in touched
    ]
    return taken, actions


def test_legal_actions_are_drawn_with_their_probabilities():
    """REDUCE has nearly all of the probability of all actions, and is not legal."""
    n = 1000
    taken = Counter(first_draw(seed)[0] for seed in range(n))
    assert set(taken) == set(LEGAL)
    legal = [a in LEGAL for a in SCORES]
    expected = dict(zip(SCORES, shares(list(SCORES.values()), legal), strict=True))
    chi_square = sum(
        (taken[a] - n * expected[a]) ** 2 / (n * expected[a]) for a in LEGAL
    )
    # One sample in a million exceeds this with four degrees of freedom.
    assert chi_square < 33.4


def test_draws_are_those_of_the_generator():
    """The unit interval is divided among the legal actions, in their order."""
    for seed in range(30):
        taken, actions = first_draw(seed)
        scores, legal = [SCORES[a] for a in actions], [a in LEGAL for a in actions]
        probabilities = shares(scores, legal)
        u = Mersenne(seed).uniform()
        below = sum(probabilities[: actions.index(taken)])
        assert below <= u < below + probabilities[actions.index(taken)]


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
