"""The temperature of a model: what it does, and what is stored of it."""

import math
import pickle

import numpy as np
import pytest

from spacy_dynoracle import DynamicOracle, NoExploration
from spacy_dynoracle.core.model.file import read_model, write_model
from spacy_dynoracle.core.model.model import Model
from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.probability.sampling import sample_arcs
from spacy_dynoracle.core.search.greedy import GreedySearch
from spacy_dynoracle.core.weights.frozen import FrozenWeights
from spacy_dynoracle.errors import ModelFileError
from spacy_dynoracle.parser.recipe import ParserRecipe
from spacy_dynoracle.parser.training import TrainingRun
from spacy_dynoracle.registry.blocks import make_adagrad_rda, make_averaged_perceptron

from ..builders import TREEBANK, sentences
from ..probability.test_greedy import equal
from ..random_models import every_kind, random_batch, random_model
from .test_file import changed, joined, split

# ---- what it does --------------------------------------------------------------------


@every_kind
def test_only_the_ratio_of_score_and_temperature_counts(system):
    model = random_model(system, temperature=1.5)
    weights = model.weights
    sizes = weights.sizes() | {"scale": weights.sizes()["scale"] / 4}
    larger = Model(
        system,
        model.extractor,
        model.actions,
        FrozenWeights.from_arrays(weights.arrays(), sizes),
        model.sources,
        model.root_label,
        model.learner,
        4 * model.temperature,
    )
    batch = random_batch(12, [6, 8])
    assert equal(sample_arcs(model, batch), sample_arcs(larger, batch))
    *parse, p = parse_with_probabilities(model, batch)
    *expected, q = parse_with_probabilities(larger, batch)
    assert equal([*parse, *p], [*expected, *q])
    cooler = larger.with_temperature(model.temperature)
    assert not equal(sample_arcs(cooler, batch), sample_arcs(larger, batch))


@pytest.mark.parametrize("temperature", [1e-310, 1e-100, 1e-4, 1e6, 1e30, 1e308])
@every_kind
def test_extreme_temperatures_are_refused_or_harmless(system, temperature):
    model = random_model(system)
    try:
        model = model.with_temperature(temperature)
    except ValueError:
        assert not 1e-4 <= temperature <= 1e6
        return
    batch = random_batch(13, [6])
    heads, labels, p = parse_with_probabilities(model, batch)
    assert equal((heads, labels), GreedySearch().parse(model, batch))
    assert (p.arcs > 0).all()
    assert (p.arcs <= 1).all()
    if temperature < 1:
        assert equal(sample_arcs(model, batch, 3).heads, heads)


@pytest.mark.parametrize(
    "temperature",
    [0, -0.5, math.nan, math.inf, True, "1", [1.0], 10**400],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_temperature(small_model, temperature):
    with pytest.raises(ValueError, match="temperature"):
        small_model.with_temperature(temperature)


def test_model_without_a_temperature(small_model):
    assert small_model.temperature is None
    for function in (sample_arcs, parse_with_probabilities):
        with pytest.raises(ValueError, match="no probabilities: train with AdaGradRDA"):
            function(small_model, sentences(TREEBANK))
        with pytest.raises(ValueError, match="AveragedPerceptron"):
            function(small_model, [])
        function(small_model.with_temperature(3.0), sentences(TREEBANK))


# ---- what is stored of it ------------------------------------------------------------


@pytest.mark.parametrize(
    ("temperature", "is_fitted"),
    [
        (None, False), (1.0, False), (0.1, True), (math.pi, True), (5e-3, True),
        (2, True), (np.float64(0.7), True), (np.float32(0.7), True),
    ],
)  # fmt: skip
def test_temperature_is_kept(small_model, temperature, is_fitted):
    model = small_model.with_temperature(temperature, is_fitted)
    for other in (
        model,
        model.freeze(),
        pickle.loads(pickle.dumps(model)),
        read_model(write_model(model)),
    ):
        assert (other.temperature, other.is_fitted) == (temperature, is_fitted)
        assert temperature is None or type(other.temperature) is float
    assert write_model(read_model(write_model(model))) == write_model(model)
    assert (small_model.temperature, small_model.is_fitted) == (None, False)


def test_with_temperature_is_the_same_model(small_model):
    model = small_model.with_temperature(2.0)
    batch = sentences(TREEBANK)
    assert model.is_fitted
    assert model.weights is small_model.weights
    assert equal(
        GreedySearch().parse(model, batch), GreedySearch().parse(small_model, batch)
    )
    assert not model.with_temperature(1.0, is_fitted=False).is_fitted
    assert model.with_temperature(None).temperature is None


def tampered(model, **changes):
    header, arrays = split(write_model(model))
    for key, value in changes.items():
        changed(header, [key], value)
    return joined(header, arrays)


@pytest.mark.parametrize(
    "value",
    [
        "1.0", math.nan, math.inf, 0, -1.0, True, [], 10**400,
    ],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_file_with_a_temperature_that_is_none(small_model, value):
    with pytest.raises(ModelFileError):
        read_model(tampered(small_model, temperature=value))


def test_file_with_a_whole_number(small_model):
    assert type(read_model(tampered(small_model, temperature=2)).temperature) is float


@pytest.mark.parametrize("value", [None, 1, "yes"])
def test_file_that_does_not_say_whether_it_is_fitted(small_model, value):
    model = small_model.with_temperature(2.0, is_fitted=False)
    try:
        model = read_model(tampered(model, is_fitted=value))
    except ModelFileError:
        return
    assert model.is_fitted is False


@pytest.mark.parametrize(
    ("learner", "temperature"),
    [(make_adagrad_rda(), 1.0), (make_averaged_perceptron(), None)],
    ids=["AdaGradRDA", "AveragedPerceptron"],
)
def test_a_fitted_temperature_does_not_outlive_training(
    small_model, learner, temperature
):
    recipe = ParserRecipe(
        system=small_model.system,
        features=small_model.extractor.templates,
        oracle=DynamicOracle(),
        exploration=NoExploration(),
        learner=learner,
        sentences="doc",
        nonprojective="drop",
    )
    fitted = small_model.with_temperature(0.3)
    run = TrainingRun.resume(recipe, fitted)
    assert (run.model.temperature, run.model.is_fitted) == (temperature, False)
    again = read_model(write_model(run.model))
    assert (again.temperature, again.is_fitted) == (temperature, False)
    assert fitted.temperature == 0.3
