"""The page with the papers' tables beside ours: what it says of records."""

import copy
import re

import pytest

from experiments.claims import claims_tables
from experiments.page import PAGE_NAME, Page, html, write_page
from experiments.papers import papers
from experiments.verdicts import FAILS, HOLDS

BANK = "UD_English-A"
PAPER = "goldberg_nivre_2013"
CLAIM = "The dynamic oracle is better than the static one, arc-eager"


def cell(row, mean, deviation=0.5):
    return {
        "paper": PAPER, "condition": "labelled", "split": "test", "measure": "uas",
        "row": row, "treebank": BANK, "mean": mean, "deviation": deviation,
        "items": 1000, "seeds": [],
    }  # fmt: skip


def effect(value, low, high):
    values = {"value": value, "low": low, "high": high, "seeds": [1, 2]}
    return {
        "table": "gn13-uas", "claim": CLAIM, "condition": "labelled",
        "treebanks": {BANK: values, "B": values}, "average": values,
    }  # fmt: skip


RECORD = {
    "name": PAPER, "paper": PAPER, "scale": "small", "seeds": 2, "commit": "abc",
    "treebanks": {
        BANK: {"language": "English", "train": [600, 9000], "dev": [9, 99],
               "test": [5, 50]},
        "<b>": {"language": "", "train": [1, 1], "dev": [1, 1], "test": [1, 1]},
    },
    "failures": [],
    "cells": [cell("eager static", 75), cell("eager dynamic", 85, None)],
    "effects": [effect(10, 8, 12)],
    "runs": {},
}  # fmt: skip


def line_of(text, start):
    return next(line for line in text.split("\n") if line.startswith(start))


def test_the_page_shows_ours_beside_the_papers():
    text = Page([RECORD]).markdown({})
    row = line_of(text, "| eager static | ")
    assert row == "| eager static | 81.56 | 75.00 ± 0.50 | 86.10 |"
    assert line_of(text, "| eager dynamic | ").endswith(" | 85.00 | 88.69 |")
    claim = line_of(text, f"- {CLAIM}")
    assert "**Holds**: +10.00 [+8.00, +12.00] is above 0; paper +1.10" in claim
    assert "600 / 9,000" in text
    for paper in papers():
        assert f"## {paper.name}\n" in text
        for table in paper.tables:
            assert f"### {paper.name}, {table.table}\n" in text


def test_verdicts_follow_the_numbers():
    changed = copy.deepcopy(RECORD)
    changed["effects"] = [effect(-1, -2, -0.5)]
    open_ = {**RECORD, "effects": [effect(1, -0.1, 2.1)]}
    before, after = (Page([each]).markdown({}) for each in (RECORD, changed))
    assert before.count(f"**{HOLDS}**") == 1
    assert after.count(f"**{HOLDS}**") == 0
    assert "**Does not hold**: -1.00 [-2.00, -0.50] is below 0" in after
    verdicts, *_, data = re.split("^## ", Page([open_]).markdown({}), flags=re.M)[1:6]
    assert "**cannot be compared**: about 4 times the sentences and seeds" in verdicts
    assert data.startswith("Experiments\n")


def test_records_are_put_together():
    other = {**RECORD, "name": "other", "cells": [cell("hybrid static", 70)]}
    text = Page([{**RECORD, "effects": []}, other]).markdown({})
    assert line_of(text, "| hybrid static | ").endswith("| 70.00 ± 0.50 | 86.43 |")
    assert line_of(text, "| eager static | ")
    assert "| other | small |" in text


@pytest.mark.heavy
def test_markdown_html_and_pictures(tmp_path):
    markdown, page = (path.read_text("utf8") for path in write_page([RECORD], tmp_path))
    picture = f"{PAGE_NAME}-{PAPER}.svg"
    assert f"]({picture})" in markdown
    assert page.count("<svg") == markdown.count("](") == 1
    assert "<table>" in page
    assert "http" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    # Names of treebanks are text.
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    # The same record gives the same page.
    assert html(markdown, {picture: tmp_path / picture}) == page


def test_claims_of_one_experiment():
    (grid,) = claims_tables(RECORD)
    assert grid.title == "Claims of Goldberg & Nivre 2013"
    ((text, measure, here, in_paper, verdict, *treebanks),) = grid.rows
    assert (text, measure) == (CLAIM, "UAS, test, labelled")
    assert here == "+10.00 [+8.00, +12.00]"
    assert (in_paper, verdict) == ("+1.10", HOLDS)
    assert treebanks == ["+10.00 [+8.00, +12.00]"] * 2
    changed = {**RECORD, "effects": [effect(0, -0.2, 0.2)]}
    # Less than the paper found.
    assert next(claims_tables(changed)).rows[0][4] == FAILS
    assert list(claims_tables({**RECORD, "effects": []})) == []
