"""What is done is not done again, and what was interrupted does not count as done."""

import shutil

import pytest

from experiments import metrics, runs
from experiments.parsing import counts
from experiments.runs import Laboratory, Run, commit, read_json
from experiments.settings import Setting
from spacy_dynoracle.errors import TreebankError
from tests.harbour import BANK, ROOT

ONE = Run(BANK, Setting(epochs=1), 1)
WANTED = [(ONE, ("scores",))]


@pytest.fixture
def work(monkeypatch):
    """Stands in for training and measuring; remembers them, and fails as told."""
    done, failing = [], set()

    def step(name):
        if name in failing:
            raise ValueError("out of luck")
        done.append(name)

    def train(self, run):
        self.home(run).mkdir(parents=True)
        try:
            step("train")
        except ValueError:
            self.home(run).rmdir()
            raise
        (self.home(run) / "model").mkdir()

    def rank(self, run):
        step(f"rank {run.setting.reranker}")
        self.model(run).mkdir()

    def measure(nlp, path, model):
        step(f"measure {path.stem}")
        return {"": {"uas": counts([5, 6], [10, 10])}}

    monkeypatch.setattr(Laboratory, "_train", train)
    monkeypatch.setattr(Laboratory, "_rank", rank)
    monkeypatch.setattr(runs.spacy, "load", lambda path: None)
    monkeypatch.setattr(metrics, "METRICS", {"scores": measure})
    return done, failing


def test_a_run_is_done_once(lab, work):
    done, _ = work
    assert lab.complete([*WANTED, *WANTED], ["test"], "") == []
    assert done == ["train", "measure test"]
    assert lab.complete(WANTED, ["test"], "") == []
    # Another split is measured without training.
    assert lab.complete(WANTED, ["test", "dev"], "") == []
    assert done == ["train", "measure test", "measure dev"]
    found = read_json(lab.measured_file(ONE, "scores", "test"))
    assert found[""]["uas"]["parts"] == [5, 6]


@pytest.mark.parametrize("step", ["train", "measure test"])
def test_what_fails_is_missing_and_does_not_stop_others(lab, work, step):
    done, failing = work
    failing.add(step)
    other = Run(BANK, Setting(epochs=1), 2)
    failures = lab.complete([*WANTED, (other, ("scores",))], ["test"], "")
    assert len(failures) == 2
    assert failures[0].startswith(f"{ONE}: ValueError: out of luck (see ")
    log = lab.home(ONE).with_suffix(".log")
    assert "Traceback" in log.read_text(encoding="utf8")
    failing.clear()
    done.clear()
    assert lab.complete(WANTED, ["test"], "") == []
    assert done == ["train", "measure test"][step != "train" :]


def test_methods_of_one_parser_share_it(lab, work):
    done, failing = work
    rows = [
        (Run(BANK, Setting(learner="best", beam_size=4, reranker=r), 1), ("scores",))
        for r in (None, "fine", "coarse")
    ]
    failing.add("rank fine")
    assert len(lab.complete(rows, ["dev"], "")) == 1
    assert done == ["train", "measure dev", "rank coarse", "measure dev"]
    assert len({lab.model(run) for run, _ in rows}) == 3


def test_another_config_treebank_or_seed_is_another_run(lab, tmp_path):
    homes = {lab.home(ONE), lab.home(Run(BANK, ONE.setting, 2))}
    text = lab.config.read_text(encoding="utf8")
    comment = tmp_path / "comment.cfg"
    comment.write_text(text + "\n# A comment changes nothing.\n", encoding="utf8")
    same = Laboratory(lab.output, comment, lab.directory, lab.sizes)
    assert same.home(ONE) == lab.home(ONE)
    changed = tmp_path / "changed.cfg"
    changed.write_text(text.replace("size = 1000", "size = 500"), encoding="utf8")
    homes.add(Laboratory(lab.output, changed, lab.directory, lab.sizes).home(ONE))
    shutil.copytree(ROOT / "treebanks" / BANK, tmp_path / BANK)
    with (tmp_path / BANK / "train.conllu").open("a", encoding="utf8") as stream:
        stream.write("1\tYes\tyes\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    homes.add(Laboratory(lab.output, lab.config, tmp_path, lab.sizes).home(ONE))
    assert len(homes) == 4
    # Settings that have no effect make no other run.
    assert lab.home(Run(BANK, Setting(epochs=1, alpha=0.1), 1)) == lab.home(ONE)


def test_an_unknown_treebank_is_an_error(lab):
    with pytest.raises(TreebankError, match="Atlantis: no file for the split 'train'"):
        lab.corpus(Run("Atlantis", Setting(), 1))


@pytest.mark.heavy
def test_a_run_from_training_to_its_record(lab):
    """In two processes, with one of the pipelines that a setting makes."""
    runs_of_seeds = [(Run(BANK, ONE.setting, seed), ("scores",)) for seed in (1, 2)]
    lab.jobs = 2
    assert lab.complete(runs_of_seeds, ["dev"], "") == []
    record = lab.training(ONE)
    assert record["decisions"] > 100
    assert record["known_heads"] == lab.corpus(ONE).sizes["train"][1]
    assert record["cpu_seconds"] > 0
    assert record["commit"] == commit()
    measured = read_json(lab.measured_file(ONE, "scores", "dev"))
    assert sum(measured[""]["uas"]["parts"]) > 10
    assert not list(lab.output.rglob("*.part"))


@pytest.mark.slow
def test_a_reranker(lab):
    pytest.importorskip("dynoracle_hcsearch")
    setting = Setting(
        system="standard", oracle="static", learner="best", beam_size=4, epochs=1,
        reranker="fine", folds=2, rounds=1, tag_attr="POS",
    )  # fmt: skip
    run = Run(BANK, setting, 1)
    assert lab.complete([(run, ("scores", "losses"))], ["dev"], "") == []
    uas, total = (
        read_json(lab.measured_file(run, metric, "dev"))[""][measure]
        for metric, measure in (("scores", "uas"), ("losses", "total"))
    )
    shares = [sum(x["parts"]) / sum(x["wholes"]) for x in (uas, total)]
    assert sum(shares) == pytest.approx(1)
