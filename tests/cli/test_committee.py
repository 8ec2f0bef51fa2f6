"""The commands, for a pipeline with a committee."""

import json
import shutil
from collections import Counter

import pytest
import spacy
from typer.testing import CliRunner

from spacy_dynoracle.treebank import read_conllu

from ..commands import fails, run, works
from ..committee.committees import NAME, committee_of, harbour_committee
from ..harbour import TEST, copy_some
from ..warned import said

pytestmark = pytest.mark.heavy

TEXT = "Nora found a map."


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("committee") / "model"
    harbour_committee().to_disk(path)
    return path


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """The options that fit probabilities to sentences that no member was trained on."""
    held_out = copy_some(tmp_path_factory.mktemp("treebanks")) / "train.conllu"
    return ("--fit", held_out)


@pytest.fixture(scope="module")
def calibrated(model, fit):
    path = model.with_name("calibrated")
    works(run("calibrate", model, TEST, *fit, "--output", path))
    return path


def parsed(path, *arguments):
    """The sentences that `parse` writes."""
    target = path.with_suffix(".conllu")
    works(run("parse", *arguments, "--output", target))
    return list(read_conllu(target))


def misc(word):
    return dict(item.split("=") for item in word.misc.split("|") if "=" in item)


# ---- parse ---------------------------------------------------------------------------


def test_parse_writes_the_shares_of_votes(model, tmp_path):
    plain = parsed(tmp_path / "plain", model, TEST)
    found = parsed(tmp_path / "marginal", model, TEST, "--min-probability", "0")
    shares = Counter()
    for sentence, other in zip(found, plain, strict=True):
        for word, same in zip(sentence.words, other.words, strict=True):
            assert (word.head, word.deprel) == (same.head, same.deprel)
            shares[misc(word)["Prob"]] += 1
    assert shares.keys() == {"0.3333", "0.6667", "1"}
    sure = parsed(tmp_path / "sure", model, TEST, "--min-probability", "0.9")
    known = sum(w.head is not None for s in sure for w in s.words)
    assert known == shares["1"]


def test_parse_with_several_processes(calibrated, tmp_path):
    arguments = (calibrated, TEST, "--min-probability", "0.5")
    alone = parsed(tmp_path / "one", *arguments)
    several = parsed(tmp_path / "two", *arguments, "--jobs", "2")
    assert [s.words for s in several] == [s.words for s in alone]
    assert any(w.head is None for s in alone for w in s.words)


@pytest.mark.filterwarnings("ignore:.*no token has a POS")
def test_tables_have_probabilities(calibrated):
    pa = pytest.importorskip("pyarrow")
    from spacy_dynoracle.tables import TableParser

    parser = TableParser(str(calibrated), probabilities="marginal")
    (row,) = parser(pa.table({"text": [TEXT]})).to_pylist()
    nlp = spacy.load(calibrated)
    committee_of(nlp).change(vote_shares=True)
    expected = [token._.dep_probability for token in nlp(TEXT)]
    found = [token["probability"] for token in row["tokens"]]
    assert found == pytest.approx(expected, abs=1e-6)
    assert max(found) < 1


def test_shares_of_votes_are_no_probabilities_to_trust(model, calibrated):
    arguments = ("--text", TEXT, "--min-probability", "0")
    with pytest.warns(UserWarning, match="is not calibrated"):
        run("parse", model, *arguments)
    calls = ("parse", calibrated, *arguments), ("parse", model, "--text", TEXT)
    messages = said(lambda: [works(run(*call)) for call in calls])
    assert not any("calibrated" in message for message in messages)


# ---- calibrate -----------------------------------------------------------------------


def test_calibrate_shows_and_stores(model, fit, calibrated):
    shown = works(run("calibrate", model, TEST))
    assert "Votes, their shares" in shown
    assert "Before" not in shown
    values = json.loads(works(run("calibrate", model, TEST, *fit, "--format=json")))
    fitted = json.loads(works(run("calibrate", calibrated, TEST, "--format=json")))
    assert fitted["calibration"] == values["calibration"]
    assert fitted["fitted"]
    assert "before" in values
    for name, now in values["calibration"].items():
        assert now["error"] < values["before"]["calibration"][name]["error"]
    shown = works(run("calibrate", calibrated, TEST))
    assert "Votes, fitted before" in shown
    assert f"{fitted['calibration']['heads']['error']:.4f}" in shown


def test_calibrate_stores_in_place(model, fit, calibrated, tmp_path):
    copy = shutil.copytree(model, tmp_path / "copy")
    before = (copy / NAME / "model").read_bytes()
    shown = works(run("calibrate", copy, TEST, *fit, "--output", copy))
    assert "Votes, fitted on train.conllu" in shown
    assert (copy / NAME / "model").read_bytes() == before
    cfg, other = ((path / NAME / "cfg").read_text() for path in (copy, calibrated))
    assert cfg == other
    assert "calibration" in cfg


def test_calibrate_with_options_about_transitions(model, fit):
    arguments = ("calibrate", model, TEST, *fit, "--fit-on", "transitions")
    fails(run(*arguments), "--fit-on arcs")
    shown = works(run("calibrate", model, TEST, *fit, "--fit-on", "arcs"))
    assert "Votes, fitted on train.conllu" in shown


# ---- select --------------------------------------------------------------------------


def test_trials_select_sentences_about_which_members_differ(model, tmp_path):
    program = pytest.importorskip("dynoracle_trials.__main__").app
    arguments = ["select", str(model), str(TEST), "--n", "5", "--output"]
    works(CliRunner().invoke(program, [*arguments, str(tmp_path / "chosen.conllu")]))
    chosen = [s.sent_id for s in read_conllu(tmp_path / "chosen.conllu")]
    nlp = spacy.load(model, config={f"components.{NAME}.vote_shares": True})
    entropies = {}
    for sentence in read_conllu(TEST):
        words = [word.form for word in sentence.words]
        doc = spacy.tokens.Doc(nlp.vocab, words=words)
        for token, word in zip(doc, sentence.words, strict=True):
            token.pos_ = word.upos
        entropies[sentence.sent_id] = nlp(doc)._.dep_entropy / len(doc)
    threshold = sorted(entropies.values())[-5]
    assert threshold > 0
    assert len(chosen) == 5
    assert all(entropies[name] >= threshold - 1e-6 for name in chosen)


# ---- what is about one parser --------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*no token has a POS")
def test_explain_shows_a_member(model):
    shown = works(
        run("explain", model, "--text", TEXT, "--member", "swap", "--format=json")
    )
    values = json.loads(shown)
    assert values["model"] == f"{model}, member swap"
    (derivation,) = values["derivations"]
    assert "ArcHybridSwap" in json.dumps(derivation)


def test_errors_say_what_to_do(model):
    message = fails(run("parse", model, TEST, "--k-best", "2"))
    assert f"the committee {NAME!r}" in message
    assert "no list of the best trees" in message
