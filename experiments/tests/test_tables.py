"""Tables from records of runs that nobody has done."""

import pytest

from experiments.oracles import Comparison, report
from experiments.settings import Setting
from spacy_dynoracle.reports.significance import Gain
from spacy_dynoracle.reports.tables import (
    Grid,
    difference,
    mean_and_deviation,
    notes_once,
)

from .builders import result, run

SETTINGS = [
    Setting(system, oracle)
    for system in ("eager", "easy-first")
    for oracle in ("static", "dynamic")
]


def comparison(results, treebanks=("A", "B")):
    return Comparison(results, list(treebanks), SETTINGS, "test")


def rows(grid):
    return {row[0]: dict(zip(grid.columns, row, strict=True)) for row in grid.rows}


def test_scores_are_mean_and_deviation_over_seeds_and_missing_ones_a_dash():
    results = {
        run("A", oracle="static", seed=1): result([8, 6]),
        run("A", oracle="static", seed=2): result([8, 7]),
        run("A", oracle="dynamic", seed=1): result([9, 9]),
        run("B", oracle="static", seed=1): result([5, 5]),
    }
    found = comparison(results)
    uas = rows(found.score_table("uas"))
    assert uas["A"]["eager static"] == "72.50 ± 3.54"
    assert uas["A"]["eager dynamic"] == "90.00"
    assert uas["B"]["eager dynamic"] == "-"
    assert uas["average"]["eager static"] == "61.25"
    assert uas["average"]["eager dynamic"] == "-"
    las = rows(found.score_table("las"))
    assert las["A"]["eager static"] == "62.50 ± 3.54"


def test_differences_pair_the_seeds_that_both_have():
    results = {
        run("A", oracle="static", seed=1): result([5] * 10),
        run("A", oracle="static", seed=2): result([0] * 10),
        run("A", oracle="dynamic", seed=1): result([6] * 10),
    }
    pair = (Setting("eager"), Setting("eager", "static"))
    tested = comparison(results, ["A"]).differences(*pair, "uas")
    assert tested["A"].points == pytest.approx(10)
    assert tested["A"].p == pytest.approx(2 / 1024, abs=0.002)


def test_seeds_are_pooled():
    results = {
        run("A", oracle=oracle, seed=seed): result([5 + (oracle == "dynamic")] * 4)
        for oracle in ("static", "dynamic")
        for seed in (1, 2, 3)
    }
    pair = (Setting("eager"), Setting("eager", "static"))
    tested = comparison(results, ["A"]).differences(*pair, "uas")
    # Twelve sentences that agree: 2 of 4096 permutations.
    assert tested["A"].p == pytest.approx(2 / 4096, abs=0.001)


def test_report_has_every_table_and_its_numbers():
    results = {
        run(treebank, system, oracle): result([5 + (oracle == "dynamic")] * 20)
        for treebank in ("A", "B")
        for system in ("eager", "easy-first")
        for oracle in ("static", "dynamic")
    }
    grids, values = report(comparison(results))
    by_title = {grid.title: grid for grid in grids}
    assert list(by_title) == [
        "UAS, test set, all words",
        "LAS, test set, all words",
        "Dynamic less static, UAS",
        "Dynamic less static, LAS",
        "Between systems, dynamic, UAS",
        "Between systems, dynamic, LAS",
        "Training",
    ]
    gains = rows(by_title["Dynamic less static, UAS"])
    assert gains["A"]["eager"] == "+10.00 (p < .001 *)"
    assert gains["average"]["easy-first"] == "+10.00 (p < .001 *)"
    between = rows(by_title["Between systems, dynamic, UAS"])
    assert between["B"]["easy-first - eager"] == "+0.00 (p = 1.000)"
    assert by_title["Training"].rows[0][3:] == ["2", "100", "2.0"]
    assert len(values["runs"]) == 8
    assert {d["treebank"] for d in values["differences"]} == {"A", "B", "average"}


def test_notes_stand_once():
    grids, _ = report(comparison({}))
    notes_once(grids)
    notes = [note for grid in grids for note in grid.notes]
    assert len(notes) == len(set(notes))


def test_markdown_is_a_table_with_notes():
    grid = Grid("Title", ["a", "b"], [["x|y", "1"]], ["A note."])
    assert grid.markdown() == (
        "## Title\n\n| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n\nA note.\n"
    )


@pytest.mark.parametrize(
    ("tested", "shown"),
    [
        (Gain(1.014, 0.0131, 0.0262), "+1.01 (p = .013 *)"),
        (Gain(-0.5, 0.03, 0.06), "-0.50 (p = .030)"),
        (Gain(0.0, 1.0, 1.0), "+0.00 (p = 1.000)"),
        (Gain(2.0, 0.0001, 0.0002), "+2.00 (p < .001 *)"),
        (None, "-"),
    ],
)
def test_difference_cell(tested, shown):
    assert difference(tested) == shown


def test_no_deviation_of_one_value():
    assert mean_and_deviation([87.1]) == "87.10"
    assert mean_and_deviation([]) == "-"
