"""The table of the README has the form that benchmarks.readme_table prints."""

import re

import pytest
from typer.testing import CliRunner

from benchmarks import readme_table

from ..programs import ROOT

pytestmark = pytest.mark.heavy

README = (ROOT / "README.md").read_text(encoding="utf8")


def table(text):
    """The cells of the first table of a text."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What the benchmark prints of two pipelines that have hardly been trained."""
    treebanks = ROOT / "treebanks"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readme_table, "is_installed", lambda: False)
    arguments = [
        "English-Harbour:en",
        *("--treebanks", str(treebanks)),
        *("--work", str(tmp_path_factory.mktemp("work"))),
        *("--new-text", str(treebanks / "English-Harbour" / "train.conllu")),
        *("--set", "fast:training.max_epochs=1", "--set", "spacy:training.max_steps=1"),
    ]
    result = CliRunner().invoke(readme_table.app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_readme_has_what_the_command_prints(printed):
    shown = README.partition("<!-- table: begin -->")[2]
    shown = shown.partition("<!-- table: end -->")[0]
    assert table(shown)[0] == table(printed)[0]
    names = [row[0] for row in table(printed)[2:]]
    assert [row[0] for row in table(shown)[2:]][: len(names)] == names


def test_every_cell_is_a_measurement(printed):
    header, _, *rows = table(printed)
    for row in rows:
        *scores, speed, size, loading = row[1:]
        assert all(0 <= float(score) <= 100 for score in scores)
        assert int(speed.replace(",", "")) > 0
        assert re.fullmatch(r"\d+ MB", size)
        assert re.fullmatch(r"\d+ ms", loading)
        assert len(row) == len(header)
    assert "times as fast as spaCy" in printed


def test_our_pipeline_learns_something(printed):
    header, _, (name, *scores), _ = table(printed)
    assert "dynoracle" in name
    assert float(scores[header.index("LAS") - 1]) > 40
