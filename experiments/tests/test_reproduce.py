"""The page with the papers' tables beside ours: its record, and what it says."""

import re
from dataclasses import replace

import pytest
import srsly
from typer.testing import CliRunner

from experiments import reproduce_command
from experiments.command import app
from experiments.observations import Observations
from experiments.page import JSON_NAME, PAGE_NAME, Page, html
from experiments.papers import papers
from experiments.reproduce import (
    SCALES,
    Reproduction,
    find_treebanks,
    language_of,
)
from experiments.settings import STRUCTURED
from experiments.studies import RankingStudy
from tests.harbour import BANK, ROOT

from .builders import USAGE, record

CONFIG = ROOT / "configs" / "parser.cfg"
TINY = replace(
    SCALES["small"],
    treebanks=1,
    sizes={"train": 12, "dev": 6, "test": 6},
    epochs=1,
    ks=(0, 1),
    beam_size=2,
    beam_epochs=1,
    folds=2,
    fold_epochs=1,
    rounds=1,
)
HEADS = {"eager static": [6, 7, 7, 6], "eager dynamic": [9, 9, 9, 9]}


def new_work(output):
    """Studies on the treebank of the repository, of which nothing is done."""
    return Reproduction(TINY, [BANK], ROOT / "treebanks", output, CONFIG, 2)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return new_work(tmp_path_factory.mktemp("reproduce"))


def pretend(study, name, heads):
    """Let the runs of a row be done."""
    for run in study.runs:
        if run.setting == study.rows[name]:
            directory = study.lab.directory(run)
            directory.mkdir(parents=True)
            (directory / "config.cfg").write_text("[paths]\na = 1\n\n[nlp]\nb = 2\n")
            training = {**USAGE, "data": "digest", "commit": "abc"}
            srsly.write_json(directory / "training.json", training)
            file = study.lab.scores_file(run, study.split)
            srsly.write_json(file, record([h - (run.seed == 2) for h in heads]))


@pytest.fixture(scope="module")
def results(work):
    """The record of the studies when one table has two rows."""
    first = work.studies()[0]
    before = first.seconds_left()
    for name, heads in HEADS.items():
        pretend(first, name, heads)
    assert first.seconds_left() < before
    return work.record("spacy project run reproduce")


# ---- the record ----------------------------------------------------------------------


def test_languages_and_the_order_of_treebanks(tmp_path):
    assert language_of("UD_English-EWT") == "English"
    assert language_of("GoogleUDT-2.0_Korean") == "Korean"
    assert language_of("UD_Klingon-A") == ""
    for name in ("UD_Korean-A", "UD_English-B", "UD_English-A", "UD_Klingon-A"):
        (tmp_path / name).mkdir()
        for split in ("train", "dev", "test"):
            (tmp_path / name / f"{split}.conllu").touch()
    (tmp_path / "UD_Korean-B").mkdir()
    (tmp_path / "UD_Korean-B" / "dev.conllu").touch()
    assert find_treebanks(tmp_path) == [
        "UD_English-A",
        "UD_Korean-A",
        "UD_Klingon-A",
        "UD_English-B",
    ]


def test_studies_cover_what_the_papers_claim(tmp_path):
    """Every claim has runs of ours, under each of its conditions."""
    work = new_work(tmp_path)
    done = {(study.paper, study.condition) for study in work.studies()}
    for paper in papers():
        for table in paper.tables:
            for claim in table.claims:
                assert {(paper.id, c) for c in claim.conditions} <= done
    for study in work.studies():
        assert study.seconds_left() > 0
        assert {setting.tag_attr for setting in study.settings()} == {"TAG"}
        if isinstance(study, RankingStudy):
            assert {s.learner for s in study.settings()} == {STRUCTURED}


def test_every_number_has_its_run(results):
    cells = [c for c in results["cells"] if c["measure"] == "uas"]
    assert {cell["name"] for cell in cells} == set(HEADS)
    for cell in cells:
        values = [seed["value"] for seed in cell["seeds"]]
        assert cell["mean"] == pytest.approx(sum(values) / 2)
        for seed in cell["seeds"]:
            run = results["runs"][seed["run"]]
            assert run["seed"] == seed["seed"]
            assert run["treebank"] == cell["treebank"] == BANK
            assert (run["commit"], run["treebank_files"]) == ("abc", "digest")
            assert (
                f"{run['setting']['system']} {run['setting']['oracle']}"
                == (cell["name"])
            )
            assert re.fullmatch("[0-9a-f]{64}", run["config"])
    assert results["treebanks"][BANK]["train"][0] == 12


def test_nothing_done_is_a_record_too(work, tmp_path):
    empty = Reproduction(TINY, [BANK], ROOT / "treebanks", tmp_path, CONFIG)
    found = empty.record("command")
    assert (found["cells"], found["runs"]) == ([], {})
    assert "holds: 0" in Page(found).markdown({})


def test_extremes_are_those_of_the_cells(work):
    study = next(s for s in work.studies() if type(s).__name__ == "ExplorationStudy")
    for i, name in enumerate(dict.fromkeys(study.rows)):
        pretend_heads = [5 + i, 5, 5, 5]
        if not study.lab.directory(
            next(r for r in study.runs if r.setting == study.rows[name])
        ).exists():
            pretend(study, name, pretend_heads)
        for run in study.runs:
            if run.setting == study.rows[name]:
                file = study.lab.scores_file(run, study.split)
                srsly.write_json(file, record(pretend_heads))
    found = Observations()
    study.observe(found)
    values = {
        row.name: found.rows[row][BANK][1].value
        for row in found.rows
        if row.measure == "uas"
    }
    others = [v for name, v in values.items() if name not in ("lowest", "highest")]
    assert (values["lowest"], values["highest"]) == (min(others), max(others))


# ---- the page ------------------------------------------------------------------------


def test_the_page_shows_ours_beside_the_papers(results):
    text = Page(results).markdown({})
    row = next(x for x in text.split("\n") if x.startswith("| eager dynamic | "))
    assert row == "| eager dynamic | 82.66 | 85.00 ± 7.07 | 88.69 |"
    claim = next(x for x in text.split("\n") if x.startswith("- The dynamic oracle"))
    assert "**Holds**: +25.00 [" in claim
    assert "paper +1.10" in claim
    for paper in papers():
        assert f"## {paper.name}\n" in text
        for table in paper.tables:
            assert f"### {paper.name}, {table.table}\n" in text


def test_verdicts_follow_the_numbers(results):
    changed = srsly.json_loads(srsly.json_dumps(results))
    effect = next(e for e in changed["effects"] if e["average"])
    assert effect["claim"].startswith("The dynamic oracle is better")
    before = Page(changed).markdown({}).count("**holds**")
    effect["average"] |= {"value": -1.0, "low": -2.0, "high": -0.5}
    after = Page(changed).markdown({})
    assert after.count("**holds**") == before - 1
    assert "**Does not hold**: -1.00 [-2.00, -0.50] is below 0" in after


def test_markdown_html_pictures_and_json(results, tmp_path):
    reproduce_command.write_page(results, tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    picture = f"{PAGE_NAME}-goldberg_nivre_2013.svg"
    assert {JSON_NAME, f"{PAGE_NAME}.md", f"{PAGE_NAME}.html", picture} <= names
    text = (tmp_path / f"{PAGE_NAME}.md").read_text(encoding="utf8")
    assert f"]({picture})" in text
    page = (tmp_path / f"{PAGE_NAME}.html").read_text(encoding="utf8")
    assert page.count("<svg") == text.count("](") == 1
    assert "<table>" in page
    assert "http" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    # The same record gives the same page.
    made = Page(srsly.read_json(tmp_path / JSON_NAME))
    assert made.markdown({"goldberg_nivre_2013": picture}) == text
    assert html(text, {picture: tmp_path / picture}) == page


@pytest.mark.parametrize("scale", ["reproduction", "reproduction_full"])
def test_the_committed_pages_are_what_their_results_give(scale):
    committed = ROOT / "docs" / scale
    made = Page(srsly.read_json(committed / JSON_NAME))
    pictures = {
        paper.id: f"{PAGE_NAME}-{paper.id}.svg"
        for paper in papers()
        if (committed / f"{PAGE_NAME}-{paper.id}.svg").exists()
    }
    text = (committed / f"{PAGE_NAME}.md").read_text(encoding="utf8")
    assert text == made.markdown(pictures)


# ---- the command ---------------------------------------------------------------------


def invoke(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scale", "huge"], "--scale 'huge': expected one of small, full"),
        (["--treebanks", "nowhere"], "nowhere: no such directory of treebanks"),
        (["--config", "nowhere.cfg"], "nowhere.cfg: no such file"),
        (["Atlantis"], "no treebank 'Atlantis'"),
    ],
)
def test_errors_are_one_line(arguments, message, tmp_path):
    options = ["--treebanks", ROOT / "treebanks", "--config", CONFIG]
    result = invoke(*options, *arguments, "--output", tmp_path)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_page_again_from_its_results(results, tmp_path):
    srsly.write_json(tmp_path / JSON_NAME, results)
    assert invoke("--from", tmp_path / JSON_NAME).exit_code == 0
    text = (tmp_path / f"{PAGE_NAME}.md").read_text(encoding="utf8")
    assert "**Holds**" in text


@pytest.mark.slow
def test_every_experiment_at_a_tiny_scale(tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce_command, "SCALES", {"small": TINY})
    arguments = [BANK, "--treebanks", ROOT / "treebanks", "--config", CONFIG]
    arguments += ["--seeds", 1, "--jobs", 2, "--output", tmp_path]
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    assert "1 of 8: goldberg_nivre_2013, labelled; about" in result.stderr
    found = srsly.read_json(tmp_path / "small" / JSON_NAME)
    assert all(effect["average"] for effect in found["effects"])
    assert not found["failures"]
    # What is done is not done again.
    models = sorted(tmp_path.rglob("model"))
    times = [model.stat().st_mtime_ns for model in models]
    assert invoke(*arguments).exit_code == 0
    assert [model.stat().st_mtime_ns for model in models] == times
