"""The tables of Goldberg (2013), from records of runs that nobody has done and, once,
from runs."""

from dataclasses import replace

import pytest
import srsly
from typer.testing import CliRunner

from experiments import goldberg_2013
from experiments.command import app
from experiments.goldberg_2013 import (
    MAIN,
    ROWS,
    TREEBANK,
    row_of,
    setting,
    settings,
    title,
)
from experiments.measuring import (
    ALL,
    COLUMNS,
    NO_PUNCTUATION,
    without_punctuation,
)
from experiments.probabilities import Measured, Tables
from experiments.runs import Experiments, Run
from experiments.settings import Setting
from spacy_dynoracle.reports.tables import notes_once
from spacy_dynoracle.treebank import TreebankWord
from tests.harbour import BANK, ROOT, copy_some

from .builders import USAGE

pytestmark = pytest.mark.heavy

OLD = Setting("eager")


# ---- settings ------------------------------------------------------------------------


def test_names_of_settings_that_were_there_before_are_as_they_were():
    assert OLD.name == "eager-dynamic-k1-p0.9-drop-15epochs"
    assert Setting("hybrid", "static", epochs=3).name == "hybrid-static-drop-3epochs"


def test_every_row_of_the_paper_is_a_run_of_its_own():
    found = settings([1.0, 0.25])
    assert {row_of(one) for one in found.values()} == set(ROWS)
    assert len({one.name for one in found.values()}) == len(found)
    # The perceptron has no alpha and no penalty.
    assert len(found) == 3 + 2 * 5
    assert [title(one) for one in found.values()] == list(found)


def test_other_penalties_are_other_runs():
    one, other = setting(MAIN, 0.5), setting(MAIN, 0.5, relative_l1=0.2)
    assert one.name != other.name
    assert title(other) == f"{MAIN} alpha 0.5 l1 0.2/words"
    found = settings([0.5], relative_l1=0.2)
    assert [title(one) for one in found.values()] == list(found)


def test_rows_are_what_they_are_called():
    config = {"components": {"p": {}}, "training": {}}
    setting("ME+DYN(K=0,SAMPLE)", 0.5, relative_l1=0.2).change(config, "p")
    parser = config["components"]["p"]
    assert parser["learner"] == {
        "@misc": "spacy_dynoracle.AdaGradRDA.v1",
        "alpha": 0.5,
        "relative_l1": 0.2,
    }
    assert parser["exploration"] == {
        "@misc": "spacy_dynoracle.SamplingExploration.v1",
        "k": 0,
    }
    assert parser["nonprojective"] == "drop"
    setting("ME+DYN(K=1,ERR)").change(config, "p")
    assert parser["exploration"]["@misc"] == "spacy_dynoracle.ErrorExploration.v1"
    assert parser["exploration"]["k"] == 1
    setting("ME+ST").change(config, "p")
    assert parser["oracle"]["@misc"] == "spacy_dynoracle.StaticOracle.v1"
    assert parser["oracle"]["variant"] == "reduce"
    assert parser["exploration"] == {"@misc": "spacy_dynoracle.NoExploration.v1"}
    setting("PERCEP+DYN(K=1)").change(config, "p")
    perceptron = {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 0.0}
    assert parser["learner"] == perceptron


def test_config_of_a_perceptron_says_nothing_new():
    """Finished runs are compared with their config."""
    lab = Experiments(ROOT, ROOT / "configs" / "parser.cfg", ROOT / "treebanks")
    config = srsly.json_loads(srsly.json_dumps(_parser(lab, OLD)))
    perceptron = {"@misc": "spacy_dynoracle.AveragedPerceptron.v1", "margin": 0.0}
    assert config["learner"] == perceptron
    assert config["exploration"] == {
        "@misc": "spacy_dynoracle.ErrorExploration.v1",
        "k": 1,
        "p": 0.9,
    }


def _parser(lab, one):
    config = {"components": {"p": {}}, "training": {}}
    one.change(config, "p")
    return config["components"]["p"]


def test_what_makes_no_difference_is_one_run():
    assert Setting("eager", alpha=0.5, relative_l1=0.1) == OLD
    assert Setting("eager", "static", learner="rda", exploration="sample") == Setting(
        "eager", "static", learner="rda"
    )
    sampled = setting(MAIN)
    assert replace(sampled, p=0.5) == sampled


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"learner": "svm"}, "learner 'svm': expected one of perceptron, rda"),
        ({"learner": "rda", "alpha": 0.0}, "alpha 0"),
        ({"learner": "rda", "relative_l1": -1.0}, "relative_l1 -1"),
        ({"exploration": "sample"}, "needs the learner 'rda'"),
        ({"exploration": "random"}, "expected one of error, sample"),
    ],
)
def test_settings_that_cannot_be_are_an_error(values, message):
    with pytest.raises(ValueError, match=message):
        Setting("eager", **values)


# ---- what is scored ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "label", "is_scored"),
    [
        ("boat", "obj", True),
        (".", "punct", False),
        ("...and", "conj", False),
        ("\u3002", "p", False),
        ("\u3002", "punct", False),
        ("\u2013", "dep", True),
    ],
)
def test_punctuation_is_told_by_first_character_and_label(form, label, is_scored):
    word = TreebankWord(form, "_", "X", "_", "_", 1, label, "_", "_", 1)
    (seen,) = without_punctuation([word])
    assert (seen.head is not None) == is_scored
    assert seen.deprel == label


# ---- tables --------------------------------------------------------------------------


def bins(accuracy):
    """One bin with ten items, of values 0.7."""
    return [
        {
            "start": i / 10,
            "count": 10 if i == 7 else 0,
            "accuracy": accuracy if i == 7 else 0.0,
            "mean": 0.75,
        }
        for i in range(11)
    ]


def record(hits, parameters, probabilistic=True):
    """Two sentences of ten words with so many right heads, without punctuation all but
    one of them right."""
    scores = {
        words: {
            "scores": {},
            "words_per_second": 1.0,
            "columns": COLUMNS,
            "sentences": [[10, hits + more, 10, hits + more - 1]] * 2,
        }
        for words, more in ((ALL, 0), (NO_PUNCTUATION, 1))
    }
    names = ("transitions", "not forced", "heads", "labelled arcs")
    calibration = {
        name: {"error": 0.01 * i, "bins": bins(0.6)} for i, name in enumerate(names)
    }
    return {
        "scores": scores,
        "parameters": parameters,
        "bytes": 2_500_000,
        "calibration": calibration if probabilistic else None,
    }


def tables(records, treebanks=("A",), split="dev", alphas=(1.0,)):
    measured = Measured(records, dict.fromkeys(records, USAGE))
    return Tables(measured, treebanks, settings(alphas), split)


def rows(grid, column=0):
    return {row[column]: row for row in grid.rows}


def records(treebank="A"):
    return {
        Run(treebank, setting("PERCEP+DYN(K=1)"), 1): record(6, 3000, False),
        Run(treebank, setting("PERCEP+DYN(K=1)"), 2): record(8, 3000, False),
        Run(treebank, setting(MAIN), 1): record(7, 1000),
        Run(treebank, setting(MAIN), 2): record(8, 1100),
    }


def test_scores_with_and_without_punctuation():
    found = tables(records())
    assert rows(found.scores(ALL))[MAIN][1] == "75.00 ± 7.07 / 65.00 ± 7.07"
    assert rows(found.scores(NO_PUNCTUATION))[MAIN][1] == "85.00 ± 7.07 / 75.00 ± 7.07"
    assert rows(found.scores(ALL))["ME+ST"][1] == "-"
    assert "first" not in found.scores(ALL).notes[0]
    assert any("punctuation mark" in n for n in found.scores(NO_PUNCTUATION).notes)


def test_differences_are_those_of_the_same_seeds():
    uas, _ = tables(records()).differences()
    assert rows(uas)[f"{MAIN} - PERCEP+DYN(K=1)"][1].startswith("+5.00")
    assert rows(uas)[f"{MAIN} - ME+ST"][1] == "-"


def test_size_is_compared_with_that_of_the_perceptron():
    found = rows(tables(records()).sizes(), column=1)
    assert found[MAIN][2:] == ["1,050", "0.35", "2.5", "2", "100"]
    assert found["PERCEP+DYN(K=1)"][3] == "1.00"
    assert found["ME+ST"][2:] == ["-"] * 5


def test_calibration_is_shown_as_in_the_paper():
    found = tables(records())
    grid = found.bins(setting(MAIN), "transitions")
    assert rows(grid)["0.7"] == ["0.7", "(10) 60"]
    assert rows(grid)["0.1"] == ["0.1", "(0)"]
    assert "0.0" not in rows(grid)
    (errors,) = found.errors().rows[[r[1] for r in found.errors().rows].index(MAIN) :][
        :1
    ]
    assert errors[2:] == ["0.0000", "0.0100", "0.0200", "0.0300"]
    assert "PERCEP+ST" not in rows(found.errors(), column=1)


def test_published_scores_stand_beside_those_of_their_treebank():
    found = tables(records(TREEBANK), [TREEBANK])
    scores, calibration = found.published()
    assert rows(scores)[MAIN][1:5] == [
        "85.00 ± 7.07",
        "81.17",
        "75.00 ± 7.07",
        "73.19",
    ]
    assert rows(calibration)["0.7"] == ["0.7", "(10) 60", "(739) 65"]
    assert tables(records("A")).published() == []
    assert tables(records(TREEBANK), [TREEBANK], "test").published() == []


def test_best_alpha_is_marked():
    done = {
        Run("A", setting(MAIN, alpha), 1): record(hits, 1000)
        for alpha, hits in ((1.0, 7), (0.5, 9), (0.1, 8))
    }
    grids, values = tables(done, alphas=(1.0, 0.5, 0.1)).alphas()
    shown = {row[0]: row[1] for row in grids[-1].rows}
    assert shown == {
        "1": "70.00 / 60.00",
        "0.5": "90.00 / 80.00 *",
        "0.1": "80.00 / 70.00",
    }
    assert len(values["measured"]) == 3


def test_report_without_any_run_has_dashes():
    grids, values = tables({}, ["A", TREEBANK]).report()
    notes_once(grids)
    assert all(cell == "-" for cell in rows(grids[0])[MAIN][1:])
    assert values["measured"] == []


# ---- the command ---------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty directory with what the command takes for granted."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    copy_some(tmp_path / "treebanks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DYNORACLE_TREEBANKS", raising=False)
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(app, ["probabilities", *arguments])


def test_from_training_to_tables(project):
    arguments = [BANK, "--choose-alpha", "--alpha", "0.5", "--epochs", "1"]
    arguments += ["--seeds", "1"]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    values = srsly.read_json(project / "training" / "oracles" / "alpha.json")
    (measured,) = values["measured"]
    (run,) = values["scores"][ALL]
    (fewer,) = values["scores"][NO_PUNCTUATION]
    assert run["alpha"] == 0.5
    assert 50 < run["las"] < run["uas"] < 100
    assert fewer["uas"] != run["uas"]
    assert measured["parameters"] > 1000
    (file,) = project.glob("training/oracles/runs/*/*/*/model-last/*/model")
    assert measured["bytes"] == file.stat().st_size
    assert 0 < measured["calibration"]["labelled arcs"]["error"] < 0.3
    assert f"{run['uas']:.2f} / {run['las']:.2f} *" in result.stdout
    # Nothing is done again, and the run is one of the table of the paper.
    written = {p: p.stat().st_mtime_ns for p in project.rglob("runs/**/*.json")}
    assert invoke(*arguments).exit_code == 0
    result = invoke(BANK, "--alpha", "0.5", "--epochs", "1", "--no-train")
    assert f"{run['uas']:.2f} / {run['las']:.2f}" in result.stdout
    assert written == {p: p.stat().st_mtime_ns for p in project.rglob("runs/**/*.json")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([BANK, "--alpha", "-1"], "alpha -1.0: expected"),
        ([BANK, "--split", "train"], "expected test or dev"),
        ([BANK, "--split", "test", "--choose-alpha"], "chosen on the dev set"),
        (["Atlantis"], "no treebank 'Atlantis'"),
    ],
)
def test_errors_are_one_line(arguments, message, project):
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_published_scores_are_those_of_all_rows():
    assert set(goldberg_2013.KOREAN) == set(ROWS)
    assert len(goldberg_2013.KOREAN_BINS) == 10
