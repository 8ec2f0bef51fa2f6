"""AdaGrad-RDA and exploration by sampling as blocks of a config."""

import pytest
import spacy

from spacy_dynoracle.core.learners.adagrad_rda import SMALLEST_GRADIENT
from spacy_dynoracle.registry.blocks import AdaGradRDAFactory, make_adagrad_rda

from ..core.weights.layout import read_weights
from .test_config import load, make_error
from .treebank import (
    NAME,
    NONPROJECTIVE,
    SENTENCES,
    example,
    examples,
    gold_analysis,
    make_nlp,
    mixed_examples,
    parse_all,
    update,
)

pytestmark = pytest.mark.heavy

RDA = {"@misc": "spacy_dynoracle.AdaGradRDA.v1"}
SAMPLING = {"@misc": "spacy_dynoracle.SamplingExploration.v1"}
PERCEPTRON = {"@misc": "spacy_dynoracle.AveragedPerceptron.v1"}
# Everything but the defaults of the component.
PROBABILISTIC = {"learner": RDA, "exploration": SAMPLING}


def rda_nlp(learner=RDA, **settings):
    return make_nlp("en", **(PROBABILISTIC | {"learner": learner} | settings))


def learner_of(nlp):
    return nlp.get_pipe(NAME).training_run().trainer.learner


@pytest.fixture(scope="module")
def trained_rda():
    """Trained with `AdaGradRDA` and `SamplingExploration`; not to be changed."""
    return rda_nlp(data=mixed_examples, epochs=12)


# ---- the config ----------------------------------------------------------------------


def test_blocks_and_their_defaults():
    nlp = load(**PROBABILISTIC)
    recipe = nlp.get_pipe(NAME).recipe
    assert recipe.learner == AdaGradRDAFactory(1.0, 0.01, None, SMALLEST_GRADIENT)
    assert repr(recipe.exploration) == "SamplingExploration(k=0)"
    filled = nlp.config["components"][NAME]
    assert filled["learner"] == RDA | {
        "alpha": 1.0,
        "rho": 0.01,
        "l1": None,
        "smallest_gradient": SMALLEST_GRADIENT,
        "relative_l1": 0.05,
    }
    assert filled["exploration"] == SAMPLING | {"k": 0}


def test_penalty_goes_by_the_words_of_the_training_data():
    made = {
        value: AdaGradRDAFactory(1.0, 0.01, None, 0.0, value)(3, 100).l1
        for value in (0.05, 0.2)
    }
    assert made == {0.05: pytest.approx(0.0005), 0.2: pytest.approx(0.002)}
    with pytest.raises(ValueError, match="relative_l1 = -1"):
        make_adagrad_rda(relative_l1=-1)


def test_settings_reach_the_learner():
    settings = {"alpha": 0.25, "rho": 0.5, "l1": 0.001, "smallest_gradient": 0.0}
    nlp = rda_nlp(RDA | settings, exploration=SAMPLING | {"k": 1}, epochs=0)
    made = learner_of(nlp)
    assert {name: getattr(made, name) for name in settings} == settings
    assert nlp.get_pipe(NAME).training_run().trainer.exploration.k == 1


def test_sampling_needs_a_learner_with_probabilities():
    """Found when the pipeline is made, not when it begins to learn."""
    message = make_error(exploration=SAMPLING, learner=PERCEPTRON)
    for culprit in (NAME, "SamplingExploration(k=0)", "AveragedPerceptron"):
        assert culprit in message


# ---- training ------------------------------------------------------------------------


def test_overfits(trained_rda):
    expected = [gold_analysis(trained_rda.vocab, s) for s in SENTENCES]
    assert parse_all(trained_rda) == expected
    assert trained_rda.get_pipe(NAME).model.learner == "AdaGradRDA"


def test_words_that_are_not_trained_on_do_not_count():
    nlp = rda_nlp(nonprojective="drop")
    data = [example(nlp.vocab, s) for s in (*SENTENCES, *NONPROJECTIVE)]
    nlp.initialize(lambda: data)
    n_words = sum(len(s.words) for s in SENTENCES)
    assert learner_of(nlp).l1 == pytest.approx(1 / (20 * n_words))


# ---- saving, and going on ------------------------------------------------------------


def test_training_goes_on_from_the_saved_weights(trained_rda, tmp_path):
    trained_rda.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    nlp.resume_training()
    parser = nlp.get_pipe(NAME)
    before = read_weights(parser.model.weights)
    # Training begins here, without having learned anything yet.
    assert learner_of(nlp).n_updates == 0
    assert read_weights(learner_of(nlp).freeze()) == before
    assert parse_all(nlp) == parse_all(trained_rda)
    update(nlp, mixed_examples(nlp.vocab), epochs=3)
    assert read_weights(learner_of(nlp).freeze()) != before
    assert parse_all(nlp) == [gold_analysis(nlp.vocab, s) for s in SENTENCES]


def test_a_perceptron_can_go_on_as_adagrad(trained_nlp):
    """Its weights are where the other learner starts."""
    nlp = rda_nlp(model=trained_nlp.get_pipe(NAME).to_bytes())
    learner_of(nlp)
    assert parse_all(nlp) == parse_all(trained_nlp)
    update(nlp, examples(nlp.vocab))
    assert nlp.get_pipe(NAME).model.learner == "AdaGradRDA"
