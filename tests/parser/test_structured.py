"""The structured perceptron as a block of a config, with a beam."""

import pytest
import spacy

from spacy_dynoracle.core.learners.structured_perceptron import StructuredPerceptron
from spacy_dynoracle.registry.learners import PerceptronFactory

from ..core.weights.layout import read_weights
from .test_config import load, make_error
from .treebank import (
    NAME,
    SENTENCES,
    block,
    example,
    examples,
    gold_analysis,
    make_nlp,
    mixed_examples,
    parse_all,
    partial,
    train,
    update,
)

pytestmark = pytest.mark.heavy

STRUCTURED = block("StructuredPerceptron")
# Everything but the defaults of the component.
GLOBAL = {
    "learner": STRUCTURED,
    "search": block("BeamSearch", beam_size=8),
    "exploration": block("NoExploration"),
    "oracle": block("StaticOracle"),
    "system": block("ArcStandard"),
}


def beam_nlp(**settings):
    return make_nlp("en", **(GLOBAL | settings))


def trainer_of(nlp):
    return nlp.get_pipe(NAME).training_run().trainer


@pytest.fixture(scope="module")
def trained_beam():
    """Trained with early update; not to be changed."""
    return beam_nlp(data=mixed_examples, epochs=30)


# ---- the config ----------------------------------------------------------------------


def test_block_and_its_defaults():
    nlp = load(**GLOBAL)
    recipe = nlp.get_pipe(NAME).recipe
    assert recipe.learner == PerceptronFactory(StructuredPerceptron, ("early", "best"))
    assert recipe.beam_size == 8
    filled = nlp.config["components"][NAME]
    assert filled["learner"] == STRUCTURED | {"update": "early", "negative": "best"}


def test_settings_reach_the_trainer():
    learner = STRUCTURED | {"update": "fall_out", "negative": "worst"}
    nlp = beam_nlp(learner=learner, epochs=0)
    trainer = trainer_of(nlp)
    assert (trainer.learner.rule, trainer.learner.negative) == ("fall_out", "worst")
    assert trainer.beam_size == 8


@pytest.mark.parametrize(
    ("settings", "culprits"),
    [
        (
            {"search": block("GreedySearch")},
            ["StructuredPerceptron", "GreedySearch()", "BeamSearch"],
        ),
        *(
            (
                {"exploration": block(policy)},
                ["StructuredPerceptron", policy, "use NoExploration"],
            )
            for policy in ("ErrorExploration", "SamplingExploration")
        ),
        (
            {"system": block("EasyFirst"), "oracle": block("DynamicOracle")},
            ["EasyFirst", "a beam cannot search"],
        ),
        ({"learner": STRUCTURED | {"update": "late"}}, ["learner", "update = 'late'"]),
        (
            {"learner": STRUCTURED | {"negative": "worst"}},
            ["learner", "negative = 'worst'", "'fall_out'"],
        ),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_one_error(settings, culprits):
    message = make_error(**(GLOBAL | settings))
    for culprit in culprits:
        assert culprit in message


def test_a_greedy_learner_may_parse_with_a_beam():
    nlp = beam_nlp(learner=block("AveragedPerceptron"), epochs=0)
    assert type(trainer_of(nlp)).__name__ == "Trainer"


# ---- training ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["max_violation", "fall_out"])
def test_losses_are_sentences_with_an_update(rule):
    nlp = beam_nlp(learner=STRUCTURED | {"update": rule})
    data = examples(nlp.vocab)
    first = train(nlp, data, epochs=1)[NAME]
    assert 0 < first <= len(SENTENCES)
    assert update(nlp, data, epochs=30)[NAME] == 0


def test_parses_what_it_was_trained_on(trained_beam):
    expected = [gold_analysis(trained_beam.vocab, s) for s in SENTENCES]
    assert parse_all(trained_beam) == expected
    assert trained_beam.get_pipe(NAME).model.learner == "StructuredPerceptron"


def test_partial_trees_are_learned_with_a_latent_derivation():
    nlp = beam_nlp(oracle=block("DynamicOracle"))
    data = [partial(nlp.vocab, s) for s in SENTENCES]
    assert train(nlp, data, epochs=20)[NAME] == 0
    with pytest.warns(UserWarning, match="the oracle needs the head of every word"):
        train(beam_nlp(), [*data, example(nlp.vocab, SENTENCES[0])], epochs=1)


# ---- saving, and going on ------------------------------------------------------------


def test_training_goes_on_from_the_saved_weights(trained_beam, tmp_path):
    trained_beam.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    nlp.resume_training()
    before = read_weights(nlp.get_pipe(NAME).model.weights)
    learner = trainer_of(nlp).learner
    assert learner.n_decisions == 0
    assert read_weights(learner.freeze()) == pytest.approx(before)
    others = [s._replace(labels=("new",) * len(s.labels)) for s in SENTENCES]
    data = [example(nlp.vocab, s) for s in others]
    assert update(nlp, data, epochs=30)[NAME] == 0
    assert {label for _, labels, _ in parse_all(nlp) for label in labels} >= {"new"}
