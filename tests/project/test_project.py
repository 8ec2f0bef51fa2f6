"""The project runs from the treebank to a parsed text.

Its commands run in this process, but for two tests; .ci/package runs them as users do.
"""

import shutil
import sys

import pytest
import srsly
import weasel.cli.run

from ..harbour import copy_some
from ..programs import ROOT, execute, new_process, python

pytestmark = pytest.mark.heavy

PROJECT_RUN = ("-m", "spacy", "project", "run")


@pytest.fixture
def run(monkeypatch):
    """`spacy project run` in a directory, without processes of its own."""

    def run_command(command, capture):
        assert command[0] == sys.executable
        code = execute(command[1:], ".")
        if code:
            sys.exit(code)

    monkeypatch.setattr(weasel.cli.run, "run_command", run_command)
    return lambda directory, *arguments: python(*PROJECT_RUN, *arguments, cwd=directory)


def run_processes(directory, *arguments):
    """The same with them."""
    return new_process(*PROJECT_RUN, *arguments, cwd=directory)


def copy_project(directory):
    """With fewer sentences to train on."""
    for name in ("configs", "experiments", "scripts"):
        shutil.copytree(ROOT / name, directory / name)
    copy_some(directory / "treebanks")
    shutil.copy(ROOT / "project.yml", directory)


def test_workflow_accurate(tmp_path, run):
    """Packages are left to .ci/package, and the workflow `all` to tests/docs."""
    copy_project(tmp_path)
    steps = ("train-accurate", "calibrate-accurate", "evaluate-accurate")
    # Steps may be run again.
    for command in ("prepare", *steps, "calibrate-accurate"):
        result = run(tmp_path, command, ".", "--force", "--vars.epochs", "1")
        assert result.returncode == 0, result.stdout + result.stderr
    for name in ("English-Harbour-accurate", "English-Harbour-accurate-text"):
        metrics = srsly.read_json(tmp_path / "metrics" / f"{name}.json")
        assert metrics["scores"]["LAS" if "text" in name else "all"]
    known = srsly.read_json(tmp_path / "corpus" / "English-Harbour" / "source.json")
    assert known["licence"] == "CC0 1.0"


def test_package_is_told_which_pipeline(tmp_path, run):
    """Making one is left to .ci/package, where it is installed too."""
    copy_project(tmp_path)
    result = run(tmp_path, "package", ".", "--dry", "--vars.package", "boats")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "training/English-Harbour/packaged packages" in result.stdout
    assert "--name boats" in result.stdout
    assert "--source corpus/English-Harbour/source.json" in result.stdout


def test_document(tmp_path):
    """The description of the project goes where it is wanted, not into the README."""
    readme = (ROOT / "README.md").read_bytes()
    output = tmp_path / "project.md"
    done = new_process("-m", "spacy", "project", "document", ROOT, "-o", output)
    assert done.returncode == 0, done.stderr
    text = output.read_text(encoding="utf8")
    project = srsly.read_yaml(ROOT / "project.yml")
    assert project["title"] in text
    for command in project["commands"]:
        assert f"| `{command['name']}` | {command['help']} |" in text
    for workflow in project["workflows"]:
        assert f"| `{workflow}` |" in text
    for asset in project["assets"]:
        assert asset["dest"] in text
    assert (ROOT / "README.md").read_bytes() == readme


def test_oracles_shows_what_is_done(tmp_path, run):
    copy_project(tmp_path)
    result = run(tmp_path, "oracles", ".", "--vars.train", "no-train")
    assert result.returncode == 0, result.stdout + result.stderr
    text = (
        tmp_path / "training" / "experiments" / "full" / "nonprojective.md"
    ).read_text(encoding="utf8")
    assert text.startswith("# Crossing arcs")
    assert "easy-first dynamic" in result.stdout


@pytest.mark.slow
def test_oracles_trains_and_goes_on(tmp_path, run):
    copy_project(tmp_path)
    settings = [".", "--vars.n_epochs", "1"]
    result = run(tmp_path, "oracles", *settings)
    assert result.returncode == 0, result.stdout + result.stderr
    results = tmp_path / "training" / "experiments"
    models = {path: path.stat().st_mtime_ns for path in results.rglob("model")}
    assert len(models) > 20
    assert run(tmp_path, "oracles", *settings).returncode == 0
    assert models == {path: path.stat().st_mtime_ns for path in results.rglob("model")}


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("treebank", "No-Such-Bank", "no file for the split 'train'"),
        ("lang", "qtr", "; 'xx' is for languages that spaCy does not know\n"),
    ],
)
def test_a_wrong_variable_is_one_clear_error(tmp_path, variable, value, message):
    copy_project(tmp_path)
    result = run_processes(tmp_path, "prepare", ".", f"--vars.{variable}", value)
    output = result.stdout + result.stderr
    assert result.returncode != 0
    assert value in output
    assert message in output
    assert "Traceback" not in output
    assert not (tmp_path / "corpus").exists() or not list(tmp_path.glob("corpus/*"))


def test_damaged_treebank_leaves_nothing_behind(tmp_path):
    copy_project(tmp_path)
    broken = tmp_path / "treebanks" / "English-Harbour" / "dev.conllu"
    lines = broken.read_text(encoding="utf8").splitlines()
    lines[2] = lines[2].replace("\t", " ")
    broken.write_text("\n".join(lines), encoding="utf8")
    result = run_processes(tmp_path, "prepare", ".")
    output = result.stdout + result.stderr
    assert result.returncode != 0
    assert "dev.conllu" in output.replace("\n", "")
    assert not list((tmp_path / "corpus").glob("*/*.spacy"))
