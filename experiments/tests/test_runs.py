"""What is done is not done again, and what was interrupted does not count as done."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import srsly

import spacy_dynoracle
from experiments import provenance, runs
from experiments.processes import RunError, Usage
from experiments.provenance import commit
from experiments.runs import Experiments
from experiments.settings import SYSTEMS, Setting
from spacy_dynoracle.errors import TreebankError
from tests.harbour import BANK, ROOT

from .builders import record, run

ONE = run(BANK, epochs=1)


class Machine:
    """Stands in for the processes: remembers the commands, makes what they would."""

    def __init__(self):
        self.commands = []
        self.fail = None

    def execute(self, command, log):
        name = "train" if "train" in command else "score"
        self.commands.append(name)
        if name == "train":
            scratch = Path(command[command.index("--output") + 1])
            (scratch / "model-last").mkdir()
            srsly.write_json(scratch / "counts.json", {"decisions": 1, "given_up": 0})
        if self.fail == name:
            raise RunError("killed")
        if name == "score":
            srsly.write_json(command[-1], record([5, 6]))
        return Usage(1.0, 1.0, 100.0)


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(runs, "execute", machine.execute)
    return machine


@pytest.fixture
def lab(tmp_path):
    return Experiments(
        tmp_path / "out", ROOT / "configs" / "parser.cfg", ROOT / "treebanks"
    )


def test_a_run_with_scores_is_not_done_again(lab, machine):
    assert lab.complete([ONE, ONE], "test", "") == []
    assert machine.commands == ["train", "score"]
    assert lab.complete([ONE], "test", "") == []
    assert machine.commands == ["train", "score"]
    assert lab.result(ONE, "test").uas == pytest.approx(55)


def test_another_split_is_scored_without_training(lab, machine):
    lab.complete([ONE], "test", "")
    lab.complete([ONE], "dev", "")
    assert machine.commands == ["train", "score", "score"]


@pytest.mark.parametrize("killed_in", ["train", "score"])
def test_a_killed_run_does_not_count_as_done(lab, machine, killed_in):
    machine.fail = killed_in
    (failure,) = lab.complete([ONE], "test", "")
    assert BANK in failure
    assert "killed" in failure
    assert lab.result(ONE, "test") is None
    assert lab.directory(ONE).exists() == (killed_in == "score")
    machine.fail = None
    machine.commands.clear()
    assert lab.complete([ONE], "test", "") == []
    assert machine.commands == ["train", "score"][killed_in == "score" :]
    assert not list(lab.output.rglob("*.part"))


def test_one_failure_does_not_stop_the_others(lab, machine):
    lab.complete([ONE], "", "")
    machine.fail = "train"
    other = run(BANK, epochs=1, seed=2)
    assert len(lab.complete([other, ONE], "test", "")) == 1
    assert list(lab.results([other, ONE], "test")) == [ONE]


def test_runs_of_another_config_are_an_error(lab, machine, tmp_path):
    lab.complete([ONE], "test", "")
    changed = tmp_path / "parser.cfg"
    text = lab.config.read_text(encoding="utf8")
    changed.write_text(text + "\n# A comment changes nothing.\n", encoding="utf8")
    lab.config = changed
    lab.complete([ONE], "test", "")
    changed.write_text(text.replace("size = 1000", "size = 500"), encoding="utf8")
    with pytest.raises(RunError, match=r"config .* has changed"):
        lab.complete([ONE], "test", "")


def test_runs_of_another_treebank_are_an_error(lab, machine, tmp_path):
    shutil.copytree(ROOT / "treebanks" / BANK, tmp_path / BANK)
    lab.treebanks = tmp_path
    lab.complete([ONE], "test", "")
    with (tmp_path / BANK / "train.conllu").open("a", encoding="utf8") as stream:
        stream.write("1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(RunError, match=f"treebank {BANK} has changed"):
        lab.complete([ONE], "test", "")


def test_unknown_treebank_is_an_error_before_anything_is_trained(lab, machine):
    with pytest.raises(TreebankError, match="no treebank 'Atlantis'"):
        lab.complete([ONE, run("Atlantis")], "test", "")
    assert machine.commands == []


def test_different_settings_have_different_directories():
    settings = [
        Setting(system, oracle, nonprojective)
        for system in SYSTEMS
        if not SYSTEMS[system].crossing
        for oracle in ("static", "dynamic")
        for nonprojective in ("drop", "projectivize")
    ]
    settings += [Setting("eager", k=0), Setting("eager", p=0.5)]
    settings += [Setting("eager", epochs=3), Setting("eager", features="F.v1")]
    assert len({setting.name for setting in settings}) == len(settings)


def test_what_makes_no_difference_is_one_run():
    assert Setting("swap", nonprojective="drop") == Setting("swap")


def test_setting_changes_the_config_of_the_parser_alone(lab, machine):
    setting = Setting("hybrid", "static", "projectivize", epochs=3, features="F.v1")
    config = lab.config_of(run(BANK, "hybrid"), lab.prepare(BANK))
    setting.change(config, "dynoracle_parser")
    parser = config["components"]["dynoracle_parser"]
    assert parser["system"]["@misc"] == "spacy_dynoracle.ArcHybrid.v1"
    assert parser["oracle"]["@misc"] == "spacy_dynoracle.StaticOracle.v1"
    assert parser["exploration"] == {"@misc": "spacy_dynoracle.NoExploration.v1"}
    assert parser["features"] == {"@misc": "F.v1"}
    assert parser["nonprojective"] == "projectivize"
    assert config["training"]["max_epochs"] == 3


def test_fine_tags_reach_features_and_data():
    coarse, fine = Setting("eager"), Setting("eager", tag_attr="TAG")
    assert coarse.name != fine.name
    corpus = {"attrs": ["POS"]}
    config = {"components": {"parser": {}}, "training": {}, "corpora": {"dev": corpus}}
    fine.change(config, "parser")
    assert config["components"]["parser"]["tag_attr"] == "TAG"
    assert corpus["attrs"] == ["TAG"]


def test_every_run_names_its_commit(lab, machine):
    one = run(BANK)
    lab.complete([one], "test", "Training")
    assert lab.training(one)["commit"] == commit()


def test_the_commit_of_a_package_outside_of_a_checkout(monkeypatch):
    assert re.fullmatch(r"[0-9a-f]{40}\+?|version \S+", commit.__wrapped__())

    def fail(*arguments):
        raise subprocess.CalledProcessError(128, "git")

    monkeypatch.setattr(provenance, "_git", fail)
    assert commit.__wrapped__() == f"version {spacy_dynoracle.__version__}"


def test_easy_first_trains_longer_unless_told_otherwise():
    assert Setting("easy-first").epochs > Setting("eager").epochs
    assert Setting("easy-first", epochs=2).epochs == 2


@pytest.mark.parametrize(
    "values",
    [{"system": "eagre"}, {"system": "eager", "oracle": "delphi"}],
)
def test_unknown_names_are_listed(values):
    with pytest.raises(ValueError, match=r"expected one of .*, "):
        Setting(**values)
