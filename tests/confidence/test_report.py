"""Measuring confidence, fitting a temperature and choosing sentences from Python."""

import copy
import json

import pytest
import spacy

from spacy_dynoracle import confidence
from spacy_dynoracle.errors import PipelineError, TreebankError
from spacy_dynoracle.evaluation import evaluate
from spacy_dynoracle.treebank import read_conllu

from ..committee.committees import BEAM
from ..harbour import FILE as DEV
from ..harbour import RDA, parser, train

pytestmark = pytest.mark.heavy

PARSER = "dynoracle_parser"


@pytest.fixture(scope="module")
def trained_nlp():
    return train(parser(tag_attr="POS", **RDA), 40)


@pytest.fixture
def nlp(trained_nlp):
    """The same as a pipeline of one's own, which a test may change."""
    return copy.deepcopy(trained_nlp)


def test_a_report(nlp):
    report = confidence.measure(nlp, DEV, n_samples=4)
    values = json.loads(json.dumps(report.as_dict()))
    assert values["temperature"] == 1
    assert not values["fitted"]
    assert "before" not in values
    n_words = sum(len(s.words) for s in read_conllu(DEV))
    assert values["calibration"]["heads"]["count"] == n_words
    assert [grid.title.split(",")[0] for grid in report.tables()] == [
        "Transitions",
        "Arcs of the parse",
        "Calibration",
        "Arcs with at least a probability",
        "Ranking by certainty",
    ]


def test_a_fitted_temperature_is_compared_and_then_set(nlp):
    own = nlp.get_pipe(PARSER).model
    state = nlp.get_pipe(PARSER).state() | {"never_govern": ["punct"]}
    nlp.get_pipe(PARSER).set_state(state)
    fitted = confidence.fit(nlp, DEV)
    assert fitted.n_sentences == len(list(read_conllu(DEV)))
    assert nlp.get_pipe(PARSER).model is own
    report = confidence.measure(nlp, DEV, temperature=fitted.temperature, n_samples=4)
    assert nlp.get_pipe(PARSER).model is own
    assert report.now.is_fitted
    assert report.before.temperature == 1
    assert report.tables()[-1].title.startswith("Before: dev.conllu, temperature 1")
    now, unfitted = report.now.calibration, report.before.calibration
    assert now["transitions"].log_likelihood > unfitted["transitions"].log_likelihood
    confidence.set_temperature(nlp, fitted.temperature)
    again = confidence.measure(nlp, DEV, n_samples=4)
    assert again.now == report.now
    assert nlp.get_pipe(PARSER).state() == state


def test_the_trees_are_those_that_the_parser_writes(nlp):
    state = nlp.get_pipe(PARSER).state()
    nlp.get_pipe(PARSER).set_state(state | {"never_govern": ["det", "nsubj", "obj"]})
    found = confidence.measure(nlp, DEV, n_samples=4).now.calibration
    scores = evaluate(nlp, DEV).scores["all"]
    assert found["heads"].accuracy == pytest.approx(scores.uas)
    assert found["labelled arcs"].accuracy == pytest.approx(scores.las)


def test_impossible_requests(nlp, tmp_path):
    with pytest.raises(ValueError, match="on = 'some': expected one of"):
        confidence.fit(nlp, DEV, on="some")
    with pytest.raises(ValueError, match="on = 'heads': expected one of 'transitions'"):
        confidence.fit(nlp, DEV, on="heads")
    with pytest.raises(TreebankError):
        confidence.measure(nlp, tmp_path / "none.conllu")
    with pytest.raises(PipelineError, match="no dynoracle_parser"):
        confidence.measure(spacy.blank("en"), DEV)
    beam = parser(tag_attr="POS", **BEAM)
    with pytest.warns(UserWarning, match="no training example has a tree"):
        beam.initialize()
    for function in (confidence.fit, confidence.measure):
        with pytest.raises(PipelineError, match="decides about whole derivations"):
            function(beam, DEV)
