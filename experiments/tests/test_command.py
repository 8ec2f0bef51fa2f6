"""The command line, from a treebank to tables."""

import pytest
import srsly
from typer.testing import CliRunner

from experiments.command import app
from tests.harbour import BANK, ROOT, copy_some

pytestmark = pytest.mark.heavy


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty directory with what the commands take for granted."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    copy_some(tmp_path / "treebanks")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DYNORACLE_TREEBANKS", raising=False)
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_oracles_from_training_to_tables(project):
    arguments = ["oracles", BANK, "--system", "eager", "--setting", "dynamic"]
    arguments += ["--epochs", "1", "--seeds", "1"]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    (scores,) = project.glob("training/oracles/runs/**/scores-test.json")
    values = srsly.read_json(project / "training" / "oracles" / "oracles.json")
    (run,) = values["runs"]
    assert 50 < run["las"] < run["uas"] < 100
    assert run["uas"] == pytest.approx(100 * run["scores"]["all"]["uas"])
    assert run["training"]["decisions"] > 0
    assert f"{run['uas']:.2f}" in result.stdout
    assert f"| {run['uas']:.2f} |" in (scores.parents[4] / "oracles.md").read_text(
        encoding="utf8"
    )
    written = scores.stat().st_mtime_ns
    assert invoke(*arguments).exit_code == 0
    assert scores.stat().st_mtime_ns == written


@pytest.mark.parametrize(
    "command", ["oracles", "exploration", "fragmentation", "nonprojective", "features"]
)
def test_without_training_what_is_missing_is_a_dash(command, project):
    result = invoke(command, BANK, "Another", "--no-train")
    assert result.exit_code == 0, result.output
    assert (project / "training" / "oracles" / f"{command}.md").exists()
    assert (project / "training" / "oracles" / f"{command}.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["oracles", "Atlantis"], "no treebank 'Atlantis'"),
        (["oracles", BANK, "--treebanks", "nowhere"], "nowhere: no such directory"),
        (["oracles", BANK, "--system", "eagre"], "system 'eagre': expected one of"),
        (["oracles", BANK, "--setting", "delphi"], "oracle 'delphi': expected one of"),
        (["oracles", BANK, "--split", "train"], "'train': expected test or dev"),
        *(
            ([command, BANK, "--no-train", "--split", "tset"], "'tset': expected test")
            for command in (
                "oracles",
                "exploration",
                "fragmentation",
                "nonprojective",
                "features",
                "partial",
                "probabilities",
                "hcsearch",
            )
        ),
        (["oracles", BANK, "--config", "nowhere.cfg"], "nowhere.cfg: no such file"),
        (["exploration", BANK, "--p", "1.5"], "p 1.5: expected"),
        (["fragmentation", BANK, "--nonprojective", "x"], "nonprojective 'x'"),
        (["features", BANK, "--system", "eagre"], "system 'eagre': expected one of"),
    ],
)
def test_errors_are_one_line(arguments, message, project):
    result = invoke(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_features_from_training_to_tables(project):
    """On the same words, with tags and without."""
    result = invoke("features", BANK, "--epochs", "2", "--seeds", "1")
    assert result.exit_code == 0, result.output
    values = srsly.read_json(project / "training" / "oracles" / "features.json")
    tagged, untagged = values["runs"]
    assert untagged["features"] == "spacy_dynoracle.ZhangNivre2011WithoutTags.v1"
    assert 40 < untagged["las"] < tagged["las"] < 100
    names = ["eager", "eager, ZhangNivre2011WithoutTags"]
    assert list(values["speeds"][BANK]) == names
    assert {(d["better"], d["than"]) for d in values["differences"]} == {
        (names[1], names[0])
    }
    assert f"{untagged['las']:.2f}" in result.stdout


def test_claims_from_training_to_verdicts(project):
    """Without labels, on copies of the treebank beside the other runs."""
    arguments = ["oracles", BANK, "--system", "eager", "--unlabelled"]
    arguments += ["--epochs", "1", "--seeds", "1"]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    output = project / "training" / "oracles" / "unlabelled"
    values = srsly.read_json(output / "oracles.json")
    assert [run["las"] for run in values["runs"]] == [
        run["uas"] for run in values["runs"]
    ]
    # The claims on arc-eager are about parsers with labels.
    assert "claims" not in values
    result = invoke(*(a for a in arguments if a != "--unlabelled"))
    values = srsly.read_json(project / "training" / "oracles" / "oracles.json")
    scores = {run["oracle"]: run["uas"] for run in values["runs"]}
    uas, las = values["claims"]
    assert (uas["measure"], las["measure"]) == ("uas", "las")
    gain = scores["dynamic"] - scores["static"]
    assert uas["average"]["value"] == pytest.approx(gain)
    assert uas["average"]["low"] <= gain <= uas["average"]["high"]
    assert f"{gain:+.2f} [" in result.stdout
    assert uas["verdict"] in result.stdout


def test_failed_runs_are_an_error_after_the_tables(project):
    config = project / "broken.cfg"
    text = (ROOT / "configs" / "parser.cfg").read_text(encoding="utf8")
    config.write_text(text.replace("ErrorExploration", "Nothing"), encoding="utf8")
    text = config.read_text(encoding="utf8").replace("Adam.v1", "Eve.v1")
    config.write_text(text, encoding="utf8")
    arguments = ["--system", "eager", "--setting", "static", "--epochs", "1"]
    result = invoke(
        "oracles", BANK, *arguments, "--seeds", "1", "--config", "broken.cfg"
    )
    assert result.exit_code == 1
    assert "Error: 1 of 1 runs failed" in result.stderr
    assert "train.log" in result.stderr
    assert "UAS, test set" in result.stdout
