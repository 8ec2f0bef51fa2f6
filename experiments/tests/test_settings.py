"""Settings make the blocks of the config that the papers describe."""

import pytest
import spacy
from spacy.util import load_config

from experiments.settings import LEARNERS, PARSER, SYSTEMS, Setting
from spacy_dynoracle.committee.recipe import DEFAULT_MEMBERS
from tests.harbour import ROOT


def changed(**values):
    config = load_config(ROOT / "configs" / "papers.cfg")
    Setting(**values).change(config)
    return config


def block(**values):
    return changed(**values)["components"][PARSER]


def test_systems_and_their_oracles():
    eager = block(oracle="static")
    assert eager["system"]["root"] == "last"
    assert eager["oracle"]["variant"] == "reduce"
    assert eager["exploration"] == {"@misc": "spacy_dynoracle.NoExploration.v1"}
    assert eager["nonprojective"] == "drop"
    # It learns crossing arcs as they are.
    assert block(system="swap")["nonprojective"] == "projectivize"
    assert changed(system="easy-first")["training"]["max_epochs"] == 20
    assert changed(system="easy-first", epochs=3)["training"]["max_epochs"] == 3


def test_a_committee():
    committee = block(system="committee", nonprojective="lift")
    assert committee["nonprojective"] == "lift"
    made = {k: v for k, v in committee.items() if k not in ("factory", "seed")}
    pipe = spacy.blank("en").add_pipe(committee["factory"], config=made)
    assert list(pipe.members) == [*DEFAULT_MEMBERS]
    with pytest.raises(ValueError, match="members have their own oracle"):
        Setting(system="committee", oracle="static")


def test_learners_and_exploration():
    sampled = block(learner="rda", exploration="sample", k=0, alpha=0.5)
    assert sampled["learner"]["@misc"] == "spacy_dynoracle.AdaGradRDA.v1"
    assert sampled["learner"]["alpha"] == 0.5
    assert sampled["exploration"] == {
        "@misc": "spacy_dynoracle.SamplingExploration.v1",
        "k": 0,
    }
    plain = block(k=2, p=0.3)
    assert plain["exploration"] == {
        "@misc": "spacy_dynoracle.ErrorExploration.v1",
        "k": 2,
        "p": 0.3,
    }
    assert plain["learner"] == LEARNERS["perceptron"]


def test_settings_without_effect_make_no_difference():
    assert block(p=0.0, k=3) == block(p=0.0, k=0)
    assert block(oracle="static", k=3, exploration="error") == block(oracle="static")
    assert block(alpha=0.5) == block()


def test_tags():
    assert block()["tag_attr"] == "POS"
    fine = changed(tag_attr="TAG")
    assert fine["components"][PARSER]["tag_attr"] == "TAG"
    assert fine["corpora"]["train"]["attrs"] == ["TAG"]
    assert block(tag_attr="none")["tag_attr"] is None


@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "committee"])
@pytest.mark.parametrize("oracle", ["static", "dynamic"])
def test_every_system_makes_a_parser(system, oracle):
    component = block(system=system, oracle=oracle, features=None)
    made = {k: v for k, v in component.items() if k not in ("factory", "seed")}
    spacy.blank("en").add_pipe(PARSER, config=made)


def test_beams():
    component = block(system="standard", oracle="static", learner="worst", beam_size=8)
    made = {k: v for k, v in component.items() if k not in ("factory", "seed")}
    parser = spacy.blank("en").add_pipe(PARSER, config=made)
    assert parser.parser.search.beam_size == 8
    learner = parser.recipe.learner(1, 1)
    assert (learner.rule, learner.negative) == ("fall_out", "worst")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"system": "eagre"}, "system 'eagre': expected one of eager, "),
        ({"learner": "svm"}, "learner 'svm': expected one of perceptron, rda"),
        ({"learner": "rda", "alpha": 0.0}, "alpha 0"),
        ({"learner": "best"}, "needs a beam_size"),
        ({"p": 1.5}, "p 1.5: expected 0 to 1"),
        ({"epochs": "many"}, "epochs 'many': expected"),
        ({"removed": 100}, "removed 100: expected"),
        ({"exploration": "sample"}, "needs the learner 'rda'"),
        ({"strategy": "luck"}, "strategy 'luck': expected one of random, all, "),
    ],
)
def test_what_cannot_be_is_an_error(values, message):
    with pytest.raises(ValueError, match=message):
        Setting(**values)
