"""Learning curves: parts of the data, their scores, and what more may bring."""

import json
from dataclasses import replace

import pytest
from filelock import FileLock

from dynoracle_trials import (
    CurvePoint,
    LearningCurve,
    TrialSettings,
    curves,
    learning_curve,
)
from dynoracle_trials.learning_curve_command import _outlook
from dynoracle_trials.trials import Trial, _prepare, run_trials
from spacy_dynoracle.evaluation import TextScore
from spacy_dynoracle.treebank import read_treebank
from spacy_dynoracle.util.locks import LOCK
from spacy_dynoracle.util.progress import no_progress
from tests.commands import fails, works

from .programs import run


def curve(*right, of=100, words=(10, 20, 40, 80)):
    points = (
        CurvePoint(8 >> i, n // 5, n, {"LAS": TextScore(of, of, hits, of)})
        for i, (n, hits) in enumerate(zip(words, right, strict=True))
    )
    return LearningCurve("a", "b", TrialSettings("c"), tuple(points))


def test_what_twice_the_data_may_bring():
    found = curve(20, 60, 80, 90)
    assert found.errors_left("LAS") == pytest.approx(0.5)
    assert found.with_twice_the_data("LAS") == pytest.approx(0.95)
    assert "from 90.00 (95 %: -) to about 95.00" in _outlook(found)
    # Parts need not be exactly twice as large: here four times the words halve errors.
    uneven = curve(40, 70, 80, 85, words=(10, 40, 90, 160))
    assert uneven.errors_left("LAS") == pytest.approx(2**-0.5)


def test_data_that_brings_nothing():
    assert curve(0, 50, 75, 100).errors_left("LAS") is None
    assert "no errors left" in _outlook(curve(0, 50, 75, 100))
    assert "has not risen" in _outlook(curve(80, 80, 80, 80))
    assert "has not risen" in _outlook(curve(80, 78, 79, 70))


@pytest.mark.heavy
def test_the_command(small, tmp_path):
    bank, work = small / "bank.conllu", tmp_path / "work"
    arguments = (
        "learning-curve", bank, bank, "--config", small / "config.cfg",
        "--output", work,
    )  # fmt: skip
    shown = works(run(*arguments))
    assert "seed 0; parsed from words" in " ".join(shown.split())
    values = json.loads((work / "scores.json").read_text(encoding="utf-8"))
    sentences = list(read_treebank(bank))
    assert [p["sentences"] for p in values["points"]] == [1, 3, 6, 12]
    assert values["points"][-1]["words"] == sum(len(s.words) for s in sentences)
    las = [p["scores"]["LAS"]["f1"] for p in values["points"]]
    # It has seen the sentences that it parses.
    assert las[0] < las[-1]
    assert f"{100 * las[-1]:.2f}" in shown
    # What is missing is made again, and is the same; the rest is kept.
    kept, again = work / "part-8.conllu", work / "part-1.conllu"
    before, made = kept.stat().st_mtime_ns, again.read_bytes()
    again.unlink()
    assert json.loads(works(run(*arguments, "--format", "json"))) == values
    assert kept.stat().st_mtime_ns == before
    assert again.read_bytes() == made
    fails(
        run("cross-validate", *arguments[1:2], *arguments[3:]),
        "is not the directory of a cross-validation",
    )
    assert again.read_bytes() == made


def test_files_that_are_not_of_trials_stay(small, tmp_path):
    sentences = list(read_treebank(small / "bank.conllu"))
    trials = [Trial("part-2", (0,), (), (1,)), Trial("part-1", (0,), (), (1,))]

    def prepare(seed):
        settings = TrialSettings(small / "config.cfg", seed=seed)
        _prepare(tmp_path, "learning curve", sentences, trials, settings)

    prepare(0)
    of_trials = tmp_path / "part-8.conllu"
    own = [tmp_path / f"{name}.conllu" for name in ("my-notes", "part-notes", "part-")]
    for path in (*own, of_trials):
        path.write_text("notes", encoding="utf-8")
    prepare(0)
    assert of_trials.is_file()
    prepare(1)
    assert all(path.is_file() for path in own)
    assert not of_trials.exists()


@pytest.mark.parametrize("key", ["paths.vectors", "initialize.lookups"])
@pytest.mark.parametrize("in_folder", [False, True])
def test_a_file_that_the_config_names_may_change(small, tmp_path, in_folder, key):
    sentences = list(read_treebank(small / "bank.conllu"))
    named, parses = tmp_path / "clusters.txt", tmp_path / "work" / "part-1.conllu"
    parses.parent.mkdir()
    # A folder may hold the trials themselves, too.
    path = tmp_path if in_folder else named
    settings = TrialSettings(small / "config.cfg", {key: str(path)})

    def prepare(content):
        named.write_text(content, encoding="utf-8")
        trials = [Trial("part-1", (0,), (), (1,))]
        _prepare(parses.parent, "learning curve", sentences, trials, settings)
        return parses.is_file()

    prepare("1")
    parses.write_text("parses", encoding="utf-8")
    assert prepare("1")
    assert not prepare("2")


def test_a_second_run_into_a_directory_is_refused(small, tmp_path):
    settings = TrialSettings(small / "config.cfg")
    # What a killed run leaves is nobody's own.
    (tmp_path / ".settings.json.0123456789abcdef.part").touch()
    with FileLock(tmp_path / LOCK), pytest.raises(ValueError, match="another run"):
        run_trials(tmp_path, "learning curve", [], [], settings, 1, no_progress)
    assert not list(tmp_path.glob("[!.]*"))


def test_a_column_that_the_pipeline_of_a_part_does_not_set(small, monkeypatch):
    bank = small / "feats.conllu"
    bank.write_text("1\ta\ta\tX\t_\tNumber=Sing\t0\troot\t_\t_\n\n" * 8, "utf-8")

    def parses(directory, kind, every, *others):
        words = tuple(word._replace(feats="_") for word in every[0].words)
        return [[replace(s, words=words) for s in every[8:]], *[every[8:]] * 3]

    monkeypatch.setattr(curves, "run_trials", parses)
    result = learning_curve(bank, bank, TrialSettings(small / "config.cfg"))
    assert [point.scores["LAS"].f1 for point in result.points] == [1] * 4
    assert "UFeats" not in result.points[-1].scores


@pytest.mark.heavy
def test_early_stopping_chooses_on_the_development_data(small):
    """Its weights ask for the worst state, which is not the last one."""
    bank = small / "bank.conllu"
    found = [
        learning_curve(
            bank,
            bank,
            TrialSettings(
                small / "config.cfg",
                {"training.patience": patience, "training.max_epochs": 3,
                 "training.eval_frequency": 1,
                 "training.score_weights": {"dep_las": -1.0}},
            ),
        ).points[-1].scores["LAS"].f1
        for patience in (0, 1000)
    ]  # fmt: skip
    assert found[0] > found[1]


@pytest.mark.heavy
def test_the_last_state_counts_if_it_is_the_best(small):
    """Training ends before spaCy evaluates for the second time."""
    bank = small / "bank.conllu"
    settings = {"training.patience": 1000, "training.max_epochs": 3}
    early, all_data = (
        learning_curve(bank, bank, TrialSettings(small / "config.cfg", overrides))
        for overrides in (settings, settings | {"training.patience": 0})
    )
    assert early.points[-1].scores["LAS"].f1 == all_data.points[-1].scores["LAS"].f1


def test_it_says_what_is_wrong(small, tmp_path, monkeypatch):
    bank = small / "bank.conllu"
    few = tmp_path / "few.conllu"
    few.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 7, encoding="utf-8")
    config = ("--config", small / "config.cfg")
    fails(run("learning-curve", few, bank, *config), "7 sentences are too few")
    bare = tmp_path / "bare.conllu"
    bare.write_text("1\ta" + "\t_" * 8 + "\n\n", encoding="utf-8")
    fails(run("learning-curve", bank, bare, *config), f"{bare}: no word has a HEAD")
    fails(run("cross-validate", bare, *config), f"{bare}: no word has a HEAD")
    monkeypatch.chdir(tmp_path)
    fails(run("learning-curve", bank, bank), "no such config")
