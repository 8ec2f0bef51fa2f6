"""The table of the README has the form that benchmarks.readme_table prints."""

import re

import pytest

from ..programs import ROOT, python

pytestmark = pytest.mark.heavy

README = (ROOT / "README.md").read_text(encoding="utf8")


def table(text):
    """The cells of the first table of a text."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


@pytest.fixture(scope="module")
def printed():
    """What the benchmark prints of two parsers that have hardly been trained."""
    options = "--epochs 1 --spacy-steps 1 --udpipe-iterations 0 --repeats 1"
    result = python("-m", "benchmarks.readme_table", *options.split(), cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_readme_has_what_the_command_prints(printed):
    shown = README.partition("<!-- table: begin -->")[2]
    shown = shown.partition("<!-- table: end -->")[0]
    assert table(shown)[0] == table(printed)[0]
    names = [row[0] for row in table(printed)[2:]]
    assert [row[0] for row in table(shown)[2:]][: len(names)] == names
    assert "udpipe" in " ".join(row[0] for row in table(shown)).lower()


def test_every_cell_is_a_measurement(printed):
    header, _, *rows = table(printed)
    for row in rows:
        speed, ratio, uas, las, size, loading = row[1:]
        assert int(speed.replace(",", "")) > 0
        assert float(ratio) > 0
        assert 0 <= float(las) <= float(uas) <= 100
        assert re.fullmatch(r"\d+\.\d MB", size)
        assert re.fullmatch(r"\d+ ms", loading)
        assert len(row) == len(header)


def test_this_parser_learns_something(printed):
    (row,) = [row for row in table(printed) if "dynoracle" in row[0]]
    assert float(row[4]) > 60
