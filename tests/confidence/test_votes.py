"""Fitting probabilities to the votes of a committee, and measuring them."""

import copy
import json

import numpy as np
import pytest
import spacy

from spacy_dynoracle import confidence
from spacy_dynoracle.committee.calibration import LEVELS, Sampling, VoteCalibration
from spacy_dynoracle.confidence.measured import HeldOut
from spacy_dynoracle.confidence.votes import VoteSet
from spacy_dynoracle.errors import PipelineError, TreebankError
from spacy_dynoracle.evaluation import evaluate
from spacy_dynoracle.treebank import read_conllu, to_doc

from ..commands import run, works
from ..committee.committees import BEAM, NAME, committee_of, harbour_committee
from ..harbour import DIRECTORY, TEST, parser

pytestmark = pytest.mark.heavy

HELD_OUT = DIRECTORY / "train.conllu"


@pytest.fixture(scope="module")
def nlp():
    return harbour_committee()


@pytest.fixture
def own_nlp(nlp):
    """The same as a pipeline of one's own, which a test may change."""
    return copy.deepcopy(nlp)


@pytest.fixture(scope="module")
def fitted(nlp):
    return confidence.fit_votes(nlp, HELD_OUT)


def vote_set(nlp, path):
    committee = committee_of(nlp)
    return VoteSet(committee, HeldOut.read(nlp, committee, path, gold_tags=True))


def test_fitting_lowers_the_calibration_error(nlp, fitted):
    """On sentences that neither the members nor the probabilities were fitted to."""
    report = confidence.measure(nlp, TEST, votes=fitted.calibration)
    assert report.before is not None
    assert not report.before.is_fitted
    assert report.now.is_fitted
    for name in ("heads", "labelled arcs"):
        now, before = report.now.calibration[name], report.before.calibration[name]
        assert before.error > 0.05
        assert now.error < 0.8 * before.error
        assert now.brier < before.brier
        assert now.log_likelihood > before.log_likelihood
        # The trees are the same.
        assert now.accuracy == before.accuracy
        assert now.count == sum(len(s.words) for s in read_conllu(TEST))


def test_samples_tell_more_than_votes(nlp, fitted):
    """Of arcs for which all members vote, those of all derivations are surer."""
    by_samples, by_votes = (
        confidence.measure(nlp, TEST, votes=votes)
        for votes in (fitted.calibration, None)
    )
    sampling = fitted.calibration.sampling
    assert sampling.temperatures.keys() == {"eager", "backward", "swap"}
    assert sampling.n_samples == 22
    for what in ("heads", "labelled arcs"):
        areas = [r.rankings[what, "marginal"].area() for r in (by_samples, by_votes)]
        assert areas[0] > areas[1] + 0.02


def test_members_that_learn_from_whole_derivations_draw_none(nlp, fitted, tmp_path):
    assert fitted.silent == []
    nlp.to_disk(tmp_path / "greedy")
    changed = {"components": {NAME: {"members": {"eager": BEAM}}}}
    spacy.load(tmp_path / "greedy", config=changed).to_disk(tmp_path / "beam")
    own = confidence.fit_votes(spacy.load(tmp_path / "beam"), HELD_OUT)
    assert own.silent == ["eager"]
    # The others draw half of the derivations each.
    assert own.calibration.sampling.n_samples == 32
    shown = works(run("calibrate", tmp_path / "beam", TEST, "--fit", HELD_OUT))
    assert "members without derivations: eager" in shown


def test_fitted_probabilities_are_right_where_they_were_fitted(nlp, fitted):
    """The mean over all arcs that were voted for, not only those of the trees."""
    data = vote_set(nlp, HELD_OUT)
    assert fitted.n_sentences == data.n_sentences == len(list(read_conllu(HELD_OUT)))
    shares = data.shares(data.ballots(fitted.calibration.sampling))
    values = shares.probabilities(fitted.calibration)
    for found, right in zip(values, data.right(shares), strict=True):
        assert found.mean() == pytest.approx(right.mean(), abs=0.01)


@pytest.mark.parametrize("leaves", ["auto", ["det", "nsubj", "obj", "case", "amod"]])
def test_arcs_are_right_where_evaluate_says_so(own_nlp, leaves):
    committee_of(own_nlp).change(never_govern=leaves)
    arcs = vote_set(own_nlp, TEST).arcs(None)
    scores = evaluate(own_nlp, TEST).scores["all"]
    assert arcs.heads.correct.mean() == pytest.approx(scores.uas)
    assert arcs.arcs.correct.mean() == pytest.approx(scores.las)


def test_probabilities_are_those_of_the_extensions(own_nlp, fitted):
    committee = committee_of(own_nlp)
    data = vote_set(own_nlp, TEST)
    sentences = list(read_conllu(TEST))
    committee.ask_for("marginal")
    for calibration in (None, fitted.calibration):
        committee.calibration = calibration
        docs = [to_doc(s, own_nlp.vocab, tree=False) for s in sentences]
        tokens = [token for doc in own_nlp.pipe(docs) for token in doc]
        arcs = data.arcs(calibration)
        for found, name in ((arcs.heads, "head"), (arcs.arcs, "dep")):
            values = [getattr(t._, f"{name}_probability") for t in tokens]
            np.testing.assert_allclose(found.marginal, values, atol=1e-5)


def test_a_report(nlp):
    report = confidence.measure(nlp, TEST)
    values = json.loads(json.dumps(report.as_dict()))
    assert values["temperature"] is None
    assert not values["fitted"]
    assert values["calibration"].keys() == {"heads", "labelled arcs"}
    assert "before" not in values
    assert [grid.title for grid in report.tables()] == [
        f"{title}, test.conllu, votes, not fitted"
        for title in (
            "Arcs of the tree with the most votes",
            "Calibration",
            "Arcs with at least a probability",
            "Ranking by certainty",
        )
    ]
    # Three members: the shares are thirds.
    thirds = {round(k / 3, 6) for k in (1, 2, 3)}
    assert set(report.arcs.arcs.marginal.round(6)) <= thirds


def test_fitted_probabilities_are_used(own_nlp, fitted):
    confidence.set_votes(own_nlp, fitted.calibration)
    report = confidence.measure(own_nlp, TEST)
    assert report.now.is_fitted
    expected = confidence.measure(own_nlp, TEST, votes=fitted.calibration)
    assert report.now == expected.now
    assert expected.before == report.now


def test_unknown_heads_are_left_out(nlp, tmp_path):
    path = tmp_path / "partial.conllu"
    rows = ["1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_", "2\tmap\t_\tNOUN\t_\t_\t_\t_\t_\t_"]
    path.write_text("\n".join([*rows, "", ""]))
    arcs = vote_set(nlp, path).arcs(None)
    assert arcs.heads.known.tolist() == arcs.arcs.known.tolist() == [True, False]
    path.write_text("1\tmap\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(TreebankError, match=r"partial.conllu: no temperature fits any"):
        confidence.fit_votes(nlp, path)


@pytest.mark.parametrize("n_samples", [0, -5, 1_000_001])
def test_impossible_numbers_of_samples(nlp, n_samples):
    """They could be saved, and would be refused on loading."""
    with pytest.raises(ValueError, match=f"n_samples = {n_samples}: expected at"):
        confidence.fit_votes(nlp, TEST, n_samples=n_samples)


def test_what_a_committee_does_not_have(nlp):
    committee = committee_of(nlp)
    with pytest.raises(ValueError, match="no transition probabilities"):
        committee.ask_for("transition")
    with pytest.raises(PipelineError, match="fit_votes"):
        confidence.fit(nlp, TEST)
    curve = np.linspace(0, 1, LEVELS + 1)
    other = VoteCalibration(("owl", "eager"), Sampling(), curve, curve)
    with pytest.raises(ValueError, match=r"members owl, eager, but the committee"):
        confidence.set_votes(nlp, other)
    with pytest.raises(PipelineError, match="no committee: fit a temperature"):
        confidence.fit_votes(parser(), TEST)
