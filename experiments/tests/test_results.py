"""Results: differences, extremes, tables and records."""

import pytest

from experiments.cells import difference, markdown
from experiments.plan import Row
from experiments.results import HIGHEST, LOWEST, Results, read_results, record_of
from experiments.runs import Laboratory, Run
from experiments.settings import Setting
from experiments.tables import measure_title, tables
from experiments.verdicts import Counts
from spacy_dynoracle.reports.tables import Grid, notes_once
from spacy_dynoracle.util.files import replace_file
from tests.harbour import BANK

from ..gains import Gain
from .builders import add, experiment, place


def made(*treebanks):
    return Results(treebanks)


def rows(grid):
    return {row[0]: dict(zip(grid.columns, row, strict=True)) for row in grid.rows}


def test_differences_pair_the_seeds_that_both_have():
    found = made("A", "B")
    add(found, "old", "A", {1: [5] * 10, 2: [0] * 10})
    add(found, "new", "A", {1: [6] * 10})
    gains = found.gains(place("new"), place("old"))
    assert list(gains) == ["A"]
    assert gains["A"].points == pytest.approx(10)
    assert gains["A"].p == pytest.approx(2 / 1024, abs=0.002)


def test_seeds_are_pooled():
    found = made("A")
    add(found, "old", "A", {seed: [5] * 4 for seed in (1, 2, 3)})
    add(found, "new", "A", {seed: [6] * 4 for seed in (1, 2, 3)})
    # Twelve sentences that agree: 2 of 4096 permutations.
    gain = found.gains(place("new"), place("old"))["A"]
    assert gain.p == pytest.approx(2 / 4096, abs=0.001)


def test_extremes_are_rows_on_each_treebank():
    found = made("A", "B")
    for row, scores in {"x": (5, 7), "y": (6, 6), "z": (7, 5)}.items():
        for treebank, score in zip("AB", scores, strict=True):
            add(found, row, treebank, {1: [score]})
    found.add_extremes("labelled", "test", "uas")
    for treebank in "AB":
        assert found.values(place(LOWEST), treebank) == [50]
        assert found.values(place(HIGHEST), treebank) == [70]


# ---- tables --------------------------------------------------------------------------


def two_rows():
    found = made("A", "B")
    add(found, "old", "A", {1: [8, 6], 2: [8, 7]})
    add(found, "old", "B", {1: [5, 5]})
    add(found, "new", "A", {1: [9, 9], 2: [9, 9]})
    return found


def test_scores_are_mean_and_deviation_over_seeds_and_missing_ones_a_dash():
    planned = experiment("old", "new", "never", columns=("las", "uas"))
    grids = tables(planned, two_rows())
    assert [grid.title for grid in grids] == [
        "A, test set, labelled",
        "B, test set, labelled",
        "average, test set, labelled",
    ]
    a, b, average = map(rows, grids)
    assert grids[0].columns == ["", "UAS"]
    assert a["old"]["UAS"] == "72.50 ± 3.54"
    assert a["new"]["UAS"] == "90.00 ± 0.00"
    assert b["new"]["UAS"] == a["never"]["UAS"] == "-"
    assert average["old"]["UAS"] == "61.25"
    assert average["new"]["UAS"] == "-"
    assert "over 1 to 2 seeds" in grids[0].notes[0]


def test_differences_are_a_table_of_pairs():
    planned = experiment(
        "old", "new", compare=(("new", "old"),), tested=("uas",), note="Mine."
    )
    *_, grid = tables(planned, two_rows())
    assert grid.title == "Differences in UAS, test set, labelled"
    assert grid.columns == ["", "A", "B", "average"]
    ((name, a, b, average),) = grid.rows
    assert name == "new - old"
    assert a.startswith("+17.50 (p = ")
    assert (b, average) == ("-", "-")
    assert grid.notes[-1] == "Mine."


def test_nothing_done_is_a_table_of_dashes():
    (grid,) = tables(experiment("old", columns=("uas",)), made("A"))
    assert grid.rows == [["old"]]
    assert "Nothing is done yet." in grid.notes


def test_rows_of_a_metric_replace_those_of_the_plan():
    found = made("A")
    found.add(place("both", "cpu_seconds"), "A", 1, Counts([3], [1], unit=1))
    add(found, "new", "A", {1: [9]})
    (grid,) = tables(experiment("both", columns=("uas",)), found)
    assert grid.rows == [["new", "90.00"]]


def test_titles_of_measures_and_steps():
    assert measure_title("las@2") == "LAS@2"
    assert measure_title("parameters") == "thousands of weights"


def test_notes_stand_once():
    grids = tables(experiment("old", columns=("uas",)), made("A", "B"))
    notes_once(grids)
    notes = [note for grid in grids for note in grid.notes]
    assert len(notes) == len(set(notes))


def test_markdown_is_a_table_with_notes():
    grid = Grid("Title", ["a", "b"], [["x|y", "1"]], ["A note."])
    assert markdown(grid) == (
        "## Title\n\n| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n\nA note.\n"
    )


@pytest.mark.parametrize(
    ("tested", "shown"),
    [
        (Gain(1.014, 0.0131, 0.0262), "+1.01 (p = .013 *)"),
        (Gain(-0.5, 0.03, 0.06), "-0.50 (p = .030)"),
        (Gain(2.0, 0.0001, 0.0002), "+2.00 (p < .001 *)"),
        (None, "-"),
    ],
)
def test_cell_of_a_difference(tested, shown):
    assert difference(tested) == shown


# ---- what is done --------------------------------------------------------------------


@pytest.fixture
def done(lab, monkeypatch):
    """An experiment with two rows of which one is done with two seeds."""
    monkeypatch.setattr(
        Laboratory, "training", lambda self, run: {"cpu_seconds": 3.0, "given_up": None}
    )
    names = {"eager dynamic": Setting(), "eager static": Setting(oracle="static")}
    planned = experiment(
        *(Row(name, setting, ("scores",)) for name, setting in names.items()),
        paper="goldberg_nivre_2013",
    )
    for seed in (1, 2):
        for setting, right in zip(names.values(), ("9", "6"), strict=True):
            file = lab.measured_file(Run(BANK, setting, seed), "scores", "test")
            file.parent.mkdir(parents=True)
            parts = ", ".join([right] * 50)
            wholes = ", ".join(["10"] * 50)
            counts = f'{{"parts": [{parts}], "wholes": [{wholes}], "unit": 100}}'
            replace_file(file, f'{{"": {{"uas": {counts}}}}}'.encode())
    return planned


def test_results_are_read(lab, done):
    found = read_results(lab, done, [BANK], 3)
    assert found.values(place("eager dynamic"), BANK) == [90, 90]
    assert found.values(place("eager static", "cpu_seconds"), BANK) == [3, 3, 3]


def test_every_number_of_a_record_has_its_run(lab, done):
    found = read_results(lab, done, [BANK], 2)
    record = record_of(done, lab, found, scale="small", seeds=2, failures=["one"])
    cells = [cell for cell in record["cells"] if cell["measure"] == "uas"]
    assert {cell["row"] for cell in cells} == {"eager static", "eager dynamic"}
    for cell in cells:
        assert (cell["paper"], cell["treebank"]) == ("goldberg_nivre_2013", BANK)
        assert cell["items"] == 500
        for seed in cell["seeds"]:
            run = record["runs"][seed["run"]]
            assert run["seed"] == seed["seed"]
            assert f"{run['system']} {run['oracle']}" == cell["row"]
    (effect,) = record["effects"]
    assert effect["claim"].startswith("The dynamic oracle is better than the static")
    assert effect["average"]["value"] == pytest.approx(30)
    assert record["failures"] == ["one"]
    assert record["treebanks"][BANK]["train"][0] == 20
