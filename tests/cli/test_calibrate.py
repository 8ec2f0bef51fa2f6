"""The command `calibrate`, with small parsers."""

import json
import shutil

import numpy as np
import pytest
import spacy
from spacy.language import Language

import spacy_dynoracle.registry.blocks  # noqa: F401
from spacy_dynoracle.cli.common import CommandError, check_new_directory, store_in_new
from spacy_dynoracle.confidence.fitting import fit_on_arcs
from spacy_dynoracle.confidence.measured import CalibrationSet, calibration_of
from spacy_dynoracle.confidence.temperature import ScoredDecisions, fit_temperature
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.state.gold import GoldTree
from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.core.training.decisions import decisions
from spacy_dynoracle.treebank import heads_and_labels, read_conllu, to_doc

from .. import commands
from ..commands import fails, works
from ..harbour import FILE, RDA, ROOT, TEST, parser, train

pytestmark = pytest.mark.heavy

PARSER = "dynoracle_parser"


@Language.component("test_everything_is_a_noun", assigns=["token.pos"])
def everything_is_a_noun(doc):
    for token in doc:
        token.pos_ = "NOUN"
    return doc


def trained(path, epochs=2, n_sentences=60, **settings):
    """A parser that still makes mistakes, saved."""
    nlp = parser(tag_attr="POS", **settings)
    train(nlp, n_sentences, epochs).to_disk(path)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("rda") / "model", **RDA)


@pytest.fixture(scope="module")
def perceptron(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("perceptron") / "model")


def run(*arguments):
    return commands.run("calibrate", *arguments)


def calibrated(*arguments):
    """What the command writes as JSON."""
    return json.loads(works(run(*arguments, "--format=json")))


def calibration_set(path, file=TEST):
    nlp = spacy.load(path)
    return CalibrationSet.of(nlp, file), nlp.get_pipe(PARSER).model


def test_tables_show_what_the_json_file_has(model):
    values = calibrated(model, TEST)
    shown = run(model, TEST).stdout
    assert "Temperature 1, as trained" in shown
    assert "not fitted" in shown
    assert "among the legal actions" in shown
    for measured in values["calibration"].values():
        assert f"{measured['error']:.4f}" in shown
        assert f"{100 * measured['accuracy']:.2f}" in shown
    arcs = values["calibration"]["labelled arcs"]
    assert arcs["count"] == sum(len(s.words) for s in read_conllu(TEST))
    assert 0.5 < arcs["accuracy"] < 1


def test_precision_and_coverage(model):
    values = calibrated(model, TEST)
    result = run(model, TEST)
    by = {(r["what"], r["by"]): r for r in values["ranking"]}
    arcs = by["labelled arcs", "marginal"]
    las = values["calibration"]["labelled arcs"]["accuracy"]
    assert las < arcs["best"]["0.9"] < arcs["best"]["0.5"]
    coverage, precision = arcs["at_least"]["0.9"]
    assert coverage < 1
    assert precision > las
    # Errors are more frequent where the parser is least sure.
    assert arcs["wrong_in_last"] > 1 - las
    assert 0.5 < arcs["auc"] < 1
    assert f"{arcs['auc']:.4f}" in result.stdout


def test_forced_decisions_are_certain_and_counted_apart(model):
    values = calibrated(model, TEST)["calibration"]
    every, chosen = values["transitions"], values["not forced"]
    n_forced = every["count"] - chosen["count"]
    # The last transition of a sentence, for example.
    assert n_forced >= len(list(read_conllu(TEST)))
    assert every["bins"][-1]["count"] - chosen["bins"][-1]["count"] == n_forced
    assert every["bins"][:-1] == chosen["bins"][:-1]
    total = every["log_likelihood"] * every["count"]
    assert total == pytest.approx(chosen["log_likelihood"] * chosen["count"])


@pytest.mark.parametrize(
    ("sentences", "rule"), [("preset", RootRule.ONE), ("predict", RootRule.ANY)]
)
def test_decisions_have_the_number_of_roots_of_the_training(tmp_path, sentences, rule):
    system = {"@misc": "spacy_dynoracle.NonMonotonicArcEager.v1"}
    settings = {"system": system, "sentences": sentences}
    data, model = calibration_set(trained(tmp_path / "model", **settings))
    known = Labels(model.labels)
    golds = [GoldTree(tree.heads, tree.labels, known) for tree in data.trees]
    expected = decisions(model, data.sentences, golds, True, rule)
    found = data.decisions(model, keep_scores=True)
    assert np.array_equal(np.hstack(found.scores), np.hstack(expected.scores))


def test_tags_of_the_file_or_of_the_pipeline(model, tmp_path):
    nlp = spacy.load(model)
    nlp.add_pipe("test_everything_is_a_noun", first=True)
    nlp.to_disk(tmp_path / "tagged")
    gold = calibrated(tmp_path / "tagged", TEST)
    own = calibrated(tmp_path / "tagged", TEST, "--from=words")
    las = [v["calibration"]["labelled arcs"]["accuracy"] for v in (gold, own)]
    assert las[0] > las[1] + 0.1
    assert gold["calibration"] == calibrated(model, TEST)["calibration"]


def test_unknown_heads_are_left_out(model, tmp_path):
    path = tmp_path / "partial.conllu"
    lines = TEST.read_text(encoding="utf-8").split("\n")
    n_gone = 0
    for i, line in enumerate(lines):
        columns = line.split("\t")
        if len(columns) == 10 and columns[0] == "2":
            columns[6:8] = "_", "_"
            lines[i] = "\t".join(columns)
            n_gone += 1
    path.write_text("\n".join(lines), encoding="utf-8")
    whole, _ = calibration_set(model)
    partial, trained_model = calibration_set(model, path)
    assert n_gone > 5
    heads = partial.arcs(trained_model, 4, 0).heads.calibration()
    assert heads.count == sum(map(len, whole.sentences)) - n_gone
    path.write_text("1\tmaps\t_\tNOUN" + "\t_" * 6 + "\n\n", encoding="utf-8")
    fails(run(model, path), f"{path}: no word has a HEAD")


def test_perceptron_has_no_probabilities_before_a_fit(perceptron):
    fails(run(perceptron, TEST), "scores of AveragedPerceptron are not prob", "--fit")


def test_perceptron_with_a_fitted_temperature(perceptron):
    values = calibrated(perceptron, TEST, "--fit", FILE)
    assert values["fitted"]
    assert "before" not in values
    result = run(perceptron, TEST, "--fit", FILE)
    assert "fitted" in result.stdout
    assert "Not stored" in result.stderr
    assert values["calibration"]["transitions"]["error"] < 0.2


def test_fitting_makes_held_out_decisions_more_probable(model):
    found, trained_model = calibration_set(model)
    scored = found.decisions(trained_model, keep_scores=True)
    data = ScoredDecisions(scored.scores, scored.correct_sets)
    fitted = fit_temperature(data)
    before = calibration_of(scored).log_likelihood
    after = found.decisions(trained_model.with_temperature(fitted))
    assert calibration_of(after).log_likelihood > before
    # What the package computes and what the fit does is the same number.
    n = len(after.correct)
    total = np.sum(after.log_likelihood)
    assert data.log_likelihood(fitted) * data.count / n == pytest.approx(
        total / n, rel=1e-4
    )


def test_fitting_on_arcs_calibrates_them(model):
    found, trained_model = calibration_set(model)
    fitted = fit_on_arcs(trained_model, found, 1.0, 16, 0)
    errors = [
        found.arcs(trained_model.with_temperature(t), 16, 0).arcs.calibration().error
        for t in (fitted, 1.0, fitted * 2, fitted / 2)
    ]
    assert errors[0] <= min(errors[1:])


def test_stored_temperature_is_used_and_changes_no_parse(model, tmp_path):
    output = tmp_path / "fitted"
    values = calibrated(model, TEST, "--fit", FILE, "--output", output)
    again = calibrated(output, TEST)
    assert again["temperature"] == values["temperature"]
    assert again["fitted"]
    assert again["calibration"] == values["calibration"]
    assert values["before"]["temperature"] == 1
    sentence = next(read_conllu(TEST))
    parses = [
        heads_and_labels(nlp(to_doc(sentence, nlp.vocab, tree=False)))
        for nlp in map(spacy.load, (model, output))
    ]
    assert parses[0] == parses[1]


def test_save_changes_the_model_in_its_place(model, tmp_path):
    path = tmp_path / "model"
    shutil.copytree(model, path)
    files = {f: f.read_bytes() for f in path.rglob("*") if f.is_file()}
    calibrated(path, TEST, "--fit", FILE, "--output", path)
    changed = [f for f, data in files.items() if f.read_bytes() != data]
    assert changed == [path / PARSER / "model"]
    assert {f for f in path.rglob("*") if f.is_file()} == set(files)
    assert spacy.load(path).get_pipe(PARSER).model.is_fitted


def test_nothing_stays_of_an_output_that_fails(model, tmp_path, monkeypatch):
    def fail(self, path, **kwargs):
        path.mkdir()
        (path / "half").touch()
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Language, "to_disk", fail)
    fails(
        run(model, TEST, "--fit", FILE, "--output", tmp_path / "fitted"),
        "No space left",
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "x"], "nothing to store without --fit"),
        (["--fit-on", "arcs"], "--fit-on says what --fit fits to"),
        (["--fit", FILE, "--output", ROOT], "not the directory of a pipeline"),
        (["--fit", FILE, "--output", "no/where"], "no such directory"),
        (["--fit", "no.conllu"], "no.conllu"),
    ],
)
def test_errors_are_one_line(model, arguments, message):
    fails(run(model, TEST, *arguments), message)


def test_pipeline_without_parser_is_an_error(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    fails(run(tmp_path / "blank", TEST), "has no dynoracle_parser")


def test_a_pipeline_is_replaced_and_nothing_else(tmp_path):
    target, other = tmp_path / "pipeline", tmp_path / "other"
    store_in_new(spacy.blank("en"), target)
    check_new_directory(target)
    store_in_new(spacy.blank("fr"), target)
    assert spacy.load(target).lang == "fr"
    assert [path.name for path in tmp_path.iterdir()] == ["pipeline"]
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="not the directory of a pipeline"):
        check_new_directory(other)
