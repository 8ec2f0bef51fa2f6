"""AdaGrad-RDA: gradient, shrinkage and parameters against their formulas."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, ArcHybrid
from spacy_dynoracle.core.learners.adagrad_rda import SMALLEST_GRADIENT, AdaGradRDA
from spacy_dynoracle.core.weights.frozen import FrozenWeights

from ..builders import TREEBANK, action_scores, labels_of, model_of, train
from ..naive_rda import NaiveRDATrainer, gradient_of, log_likelihood, resumed_gradient
from ..weights.layout import LARGEST_WEIGHT, ROUNDING, read_weights
from .rda_trainers import PAIR, assert_same_weights, build_rda, two_words

NO_ROOT = ArcEager(root="none")


# ---- the gradient --------------------------------------------------------------------


def numerical_gradient(function, point, step=1e-5):
    """Central differences of a function of {coordinate: value}."""
    return {
        i: (function(point | {i: x + step}) - function(point | {i: x - step}))
        / (2 * step)
        for i, x in point.items()
    }


@given(
    st.integers(1, 3),
    st.integers(2, 5),
    st.randoms(use_true_random=False),
    st.sampled_from(["one", "several", "all"]),
    st.sampled_from([1.0, 20.0]),
)
def test_the_gradient_is_that_of_the_log_likelihood(
    n_rows, n_actions, draw, how_many, size
):
    """Features may occur in several rows, as with the pairs of easy-first."""
    keys_of_rows = [draw.sample(range(6), 3) for _ in range(n_rows)]
    n = n_rows * n_actions
    n_correct = {"one": 1, "several": draw.randint(1, n), "all": n}[how_many]
    correct = [i < n_correct for i in range(n)]
    draw.shuffle(correct)
    weights = {
        (key, a): draw.uniform(-size, size)
        for keys in keys_of_rows
        for key in keys
        for a in range(n_actions)
    }

    def scores(w):
        return [
            sum(w[key, a] for key in keys)
            for keys in keys_of_rows
            for a in range(n_actions)
        ]

    found = gradient_of(keys_of_rows, scores(weights), correct)
    expected = numerical_gradient(lambda w: log_likelihood(scores(w), correct), weights)
    for (key, a), derivative in expected.items():
        assert found[key][a] == pytest.approx(derivative, abs=1e-6)


# Of two words with arc-eager: SHIFT, and LEFT and RIGHT with label a or b, are legal.
TREES = {
    "one": (NO_ROOT, (2, 0), ("b", "a")),
    "every label": (NO_ROOT, (2, 0), (None, None)),
    "two transitions": (NO_ROOT, (None, 1), ("a", "a")),
    "every legal one": (NO_ROOT, (None, None), (None, None)),
    "all": (ArcHybrid(root="first"), (None, None), (None, None)),
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
@pytest.mark.parametrize("largest", [0, 8, 500])
def test_one_update_moves_along_the_gradient(tree, largest):
    """From given scores; those of 500 would overflow if they were just raised."""
    system, heads, labels = tree
    trainer = build_rda(system, "ab", templates=PAIR, alpha=1000, rho=1000)
    example, c, key = two_words(trainer, "xy", heads, labels)
    n = len(trainer.actions)
    scale = {0: 1024.0, 8: 256.0, 500: 8.0}[largest]
    draw = random.Random(1)
    scores = [round(draw.uniform(-largest, largest)) for _ in range(n)]
    scores[n // 2], scores[-1] = largest, -largest
    before = {(key, a): score for a, score in enumerate(scores)}
    trainer.learner.resume(FrozenWeights.from_weights(before, n, scale))

    correct = NaiveRDATrainer(trainer).are_correct(c, example[1])
    gradient = numerical_gradient(
        lambda w: log_likelihood(list(w.values()), correct), before
    )
    trainer.train([example], 1)
    frozen = trainer.learner.freeze()
    found = read_weights(frozen)
    for feature, d in gradient.items():
        g = resumed_gradient(before[feature], 1000, 1000)
        expected = 1000 * (g + d) / math.sqrt(abs(g) + d * d + 1000)
        assert found.get(feature, 0) == pytest.approx(
            expected, abs=ROUNDING / frozen.scale
        )


def test_training_goes_on_from_extreme_weights():
    """Scores of thousands: probabilities of 0 and 1, and weights that are numbers."""
    start = build_rda(ArcEager(), labels_of(TREEBANK))
    train(start, 5)
    frozen = start.learner.freeze()
    huge = FrozenWeights.from_arrays(
        frozen.arrays(), frozen.sizes() | {"scale": frozen.scale / 4096}
    )
    trainer = build_rda(ArcEager(), labels_of(TREEBANK))
    trainer.learner.resume(huge)
    train(trainer, 3)
    weights = read_weights(trainer.learner.freeze())
    assert all(map(math.isfinite, weights.values()))
    assert max(map(abs, weights.values())) > 500


# ---- shrinkage -----------------------------------------------------------------------


def two_decisions(l1, **parameters):
    """A trainer; two examples of one decision each that share no feature; and the
    gradient of each in the first update, by action.
    """
    trainer = build_rda(NO_ROOT, "ab", templates=PAIR, l1=l1, **parameters)
    a, _, key = two_words(trainer, "ab", (2, 0), ("a", "a"))
    b, _, _ = two_words(trainer, "cd", (0, 1), ("a", "a"))
    n = len(trainer.actions)
    target = list(trainer.actions.keys).index(("LEFT", "a"))
    gradient = [(i == target) - 1 / n for i in range(n)]
    return trainer, a, b, key, gradient


@pytest.mark.parametrize(("alpha", "rho"), [(1, 0.01), (0.25, 0.5)])
def test_untouched_weights_shrink(alpha, rho):
    """By lambda for each update but the first, whatever the updates were about."""
    l1 = 0.03
    trainer, a, b, key, gradient = two_decisions(l1, alpha=alpha, rho=rho)
    public = model_of(trainer, public=True)
    _, c, _ = two_words(trainer, "ab", (2, 0))
    trainer.train([a], 1)
    for n_updates in range(1, 40):
        assert trainer.learner.n_updates == n_updates
        expected = [
            alpha
            * math.copysign(max(abs(d) - (n_updates - 1) * l1, 0), d)
            / math.sqrt(d * d + rho)
            for d in gradient
        ]
        frozen = trainer.learner.freeze()
        found = read_weights(frozen)
        for action, weight in enumerate(expected):
            got = found.get((key, action), 0)
            assert got == pytest.approx(weight, abs=ROUNDING / frozen.scale)
            if got == 0:
                assert abs(weight) <= ROUNDING / frozen.scale
        assert list(action_scores(public, c, a[0]).values()) == pytest.approx(
            [found.get((key, action), 0) for action in range(len(gradient))]
        )
        trainer.train([b], 1)
    assert key not in {k for k, _ in found}
    assert len(found) == frozen.n_parameters > 0
    assert frozen.n_features == 1


def test_weights_come_back():
    """The sum of gradients is kept while a weight is zero."""
    trainer, a, b, key, _ = two_decisions(0.03)
    naive = NaiveRDATrainer(trainer)
    for batch, is_there in (([a], True), ([b] * 40, False), ([a] * 4, True)):
        trainer.train(batch, 1)
        naive.train(batch, 1)
        found = read_weights(trainer.learner.freeze())
        assert (key in {k for k, _ in found}) == is_there
        assert_same_weights(trainer, naive)


def test_a_larger_penalty_gives_a_smaller_model():
    sizes = []
    for l1 in (0, 0.0005, 0.005, 0.05):
        trainer = build_rda(ArcEager(), labels_of(TREEBANK), l1=l1)
        train(trainer, 5)
        sizes.append(trainer.learner.freeze().n_parameters)
    assert sizes == sorted(set(sizes), reverse=True)


# ---- small gradients -----------------------------------------------------------------


def test_small_gradients_make_no_weight():
    """With many labels each wrong action gets little of the probability."""
    labels = [f"{i}" for i in range(40)]
    trainers = [
        build_rda(NO_ROOT, labels, templates=PAIR, smallest_gradient=smallest)
        for smallest in (0, 0.05)
    ]
    found = []
    for trainer in trainers:
        a, _, _ = two_words(trainer, "ab", (2, 0), ("7", "7"))
        trainer.train([a], 1)
        found.append(read_weights(trainer.learner.freeze()))
    every, large = found
    n = len(trainers[0].actions)
    assert len(every) == n
    # 1 / n is small, 1 - 1 / n is not.
    largest = max(every, key=every.__getitem__)
    # In a row of many weights it has 8 bits.
    assert large == {largest: pytest.approx(every[largest], rel=1 / 128)}


def test_small_gradients_change_weights_that_are_there():
    labels = [f"{i}" for i in range(40)]
    trainer = build_rda(NO_ROOT, labels, templates=PAIR, smallest_gradient=0.05)
    example, _, key = two_words(trainer, "ab", (2, 0), ("7", "7"))
    n = len(trainer.actions)
    target = list(trainer.actions.keys).index(("LEFT", "7"))
    trainer.learner.resume(
        FrozenWeights.from_weights({(key, target): 2.0, (key, 0): 1.0}, n)
    )
    trainer.train([example], 1)
    found = read_weights(trainer.learner.freeze())
    total = math.exp(2) + math.exp(1) + n - 2
    d = -math.exp(1) / total
    assert d > -0.05
    g = resumed_gradient(1.0, 1.0, 0.01)
    expected = (g + d) / math.sqrt(g + d * d + 0.01)
    assert found[key, 0] == pytest.approx(expected, abs=ROUNDING / 1024)
    assert set(found) == {(key, target), (key, 0)}


def test_default_smallest_gradient():
    assert AdaGradRDA(3).smallest_gradient == SMALLEST_GRADIENT == 1e-3
    weights = []
    for smallest in (0, SMALLEST_GRADIENT):
        trainer = build_rda(ArcEager(), labels_of(TREEBANK), smallest_gradient=smallest)
        train(trainer, 10)
        weights.append(read_weights(trainer.learner.freeze()))
    every, large = weights
    assert len(large) < len(every)
    assert large.keys() <= every.keys()
    assert all(abs(every[f] - large.get(f, 0)) < 0.05 for f in every)


# ---- parameters ----------------------------------------------------------------------


def test_defaults():
    learner = AdaGradRDA(5)
    assert (learner.alpha, learner.rho, learner.l1) == (1, 0.01, 0)
    assert learner.is_probabilistic
    assert learner.n_updates == 0
    frozen = learner.freeze()
    assert (frozen.n_features, frozen.n_parameters) == (0, 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            (name, value)
            for name in ("alpha", "rho", "l1", "smallest_gradient")
            for value in (-1, -1e-9, math.nan, math.inf, 1e300)
        ),
        *((name, value) for name in ("alpha", "rho") for value in (0, 1e-60)),
    ],
)
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"{name} = "):
        AdaGradRDA(5, **{name: value})


@pytest.mark.parametrize("name", ["alpha", "rho", "l1", "smallest_gradient"])
@pytest.mark.parametrize("value", ["1", None])
def test_parameters_of_other_types(name, value):
    with pytest.raises(TypeError):
        AdaGradRDA(5, **{name: value})


@pytest.mark.parametrize("rho", [1e-6, 1e3])
@pytest.mark.parametrize("alpha", [1e-6, 1e3])
@pytest.mark.parametrize("l1", [0, 1e3])
def test_extreme_parameters_give_numbers(alpha, rho, l1):
    trainer = build_rda(ArcEager(), labels_of(TREEBANK), alpha=alpha, rho=rho, l1=l1)
    train(trainer, 3)
    weights = read_weights(trainer.learner.freeze())
    assert all(map(math.isfinite, weights.values()))


def test_learners_do_not_lose_actions():
    trainer = build_rda(ArcEager(), labels_of(TREEBANK))
    train(trainer, 1)
    with pytest.raises(ValueError, match="actions"):
        trainer.learner.resize(2)


@pytest.mark.parametrize(("alpha", "rho"), [(0.0768353, 0.72992579), (1, 0.01)])
def test_resume_with_the_largest_weight_there_can_be(alpha, rho):
    """Rounding does not make it too large for the scale."""
    frozen = FrozenWeights.from_weights(
        {(1 << 47, 0): LARGEST_WEIGHT / 128, (1 << 46, 1): 1 / 128}, 2, 128.0
    )
    learner = AdaGradRDA(2, alpha=alpha, rho=rho)
    learner.resume(frozen)
    again = learner.freeze()
    assert again.scale == 128
    assert read_weights(again) == read_weights(frozen)
