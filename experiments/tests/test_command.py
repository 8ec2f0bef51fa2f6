"""The command line, from a treebank to tables."""

import pytest
import srsly
from typer.testing import CliRunner

from experiments.command import app
from experiments.plan import plans
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
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_list_names_every_experiment():
    lines = invoke("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(plans())


def test_from_training_to_tables_and_claims(project):
    arguments = ["run", "goldberg_nivre_2013", "--seeds", 1, "--set", "epochs=1"]
    arguments += ["--set", "system=[eager]", "--set", "labels=true"]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    output = project / "training" / "experiments" / "full"
    record = srsly.read_json(output / "goldberg_nivre_2013.json")
    uas = {c["row"]: c["mean"] for c in record["cells"] if c["measure"] == "uas"}
    assert 50 < uas["eager static"] < 100
    text = (output / "goldberg_nivre_2013.md").read_text(encoding="utf8")
    for shown in (result.stdout, text):
        assert f"{uas['eager dynamic']:.2f}" in shown
        assert "Scale: full, epochs=1, system=[eager]" in shown
    gain = uas["eager dynamic"] - uas["eager static"]
    assert f"{gain:+.2f} [" in result.stdout
    effect = next(each for each in record["effects"] if each["table"] == "gn13-uas")
    assert effect["average"]["value"] == pytest.approx(gain, abs=0.001)
    # Nothing is done again.
    files = {p: p.stat().st_mtime_ns for p in output.glob("runs/**/*") if p.is_file()}
    assert invoke(*arguments).exit_code == 0
    assert {p: p.stat().st_mtime_ns for p in files} == files
    # The page has what is done.
    assert invoke("report").exit_code == 0
    page = (output / "reproduction.md").read_text(encoding="utf8")
    assert f"{uas['eager dynamic']:.2f}" in page


@pytest.mark.parametrize("name", plans())
def test_without_training_what_is_missing_is_a_dash(name, project):
    result = invoke("run", name, "--no-train", "--scale", "small")
    assert result.exit_code == 0, result.output
    output = project / "training" / "experiments" / "small"
    assert "Nothing is done yet." in (output / f"{name}.md").read_text("utf8")
    assert srsly.read_json(output / f"{name}.json")["cells"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["atlantis"], "no experiment 'atlantis': expected active_learning"),
        (["partial", "--treebank", "Atlantis"], "Atlantis: no file for the split"),
        (["partial", "--treebanks", "nowhere"], "nowhere: no such directory"),
        (["partial", "--scale", "huge"], "'huge': expected one of small, full"),
        (["partial", "--set", "epochs"], "'epochs': expected KEY=VALUE"),
        (["partial", "--set", "system=eagre"], "system 'eagre': expected one of"),
        (["partial", "--set", "splits=[tset]"], "'tset': expected test or dev"),
        (["partial", "--set", "config=no.cfg"], "no.cfg: no such file"),
    ],
)
def test_errors_are_one_line(arguments, message, project):
    result = invoke("run", *arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_report_needs_results(project):
    result = invoke("report")
    assert result.exit_code == 1
    assert "no results of an experiment of a paper" in result.stderr


def test_failed_runs_are_an_error_after_the_tables(project):
    text = (ROOT / "configs" / "papers.cfg").read_text(encoding="utf8")
    (project / "broken.cfg").write_text(text.replace("Adam.v1", "Eve.v1"), "utf8")
    arguments = ["goldberg_2013_alpha", "--set", "alpha=[1]", "--set", "epochs=1"]
    result = invoke("run", *arguments, "--set", "config=broken.cfg", "--seeds", 1)
    assert result.exit_code == 1
    assert "Error: 1 runs failed" in result.stderr
    assert "Eve.v1" in result.stderr
    assert f"{BANK}, dev set" in result.stdout


@pytest.mark.slow
def test_every_paper_at_a_tiny_scale(project):
    numbers = {"epochs": 1, "folds": 2, "fold_epochs": 1, "rounds": 1}
    sizes = "sizes={train: 12, dev: 6, test: 6}"
    arguments = ["run", "--seeds", 1, "--jobs", 2, "--scale", "small", "--set", sizes]
    for name, value in numbers.items():
        arguments += ["--set", f"{name}={value}"]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert invoke("report", "--scale", "small").exit_code == 0
    page = project / "training" / "experiments" / "small" / "reproduction.md"
    assert "Nothing was measured here" not in page.read_text(encoding="utf8")
