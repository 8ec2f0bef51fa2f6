"""The sweep over k and p, and its heat map."""

import pytest

from experiments.exploration import cells, heat_map, sweep, table
from experiments.runs import Run
from experiments.settings import Setting

from .builders import result

KS, PS = (0, 1), (0.0, 0.9)


def swept():
    settings = sweep(Setting("eager"), KS, PS)
    runs = {Run("A", setting, seed) for setting in settings.values() for seed in (1, 2)}
    results = {run: result([run.setting.k + 5, run.seed]) for run in runs}
    return results, settings


def test_without_exploration_all_k_are_one_run():
    settings = sweep(Setting("eager"), (0, 1, 2, 3), (0.0, 0.3, 0.6, 0.9))
    assert len(settings) == 16
    assert len(set(settings.values())) == 13
    assert settings[3, 0.9] == Setting("eager", k=3, p=0.9)


def test_cells_are_means_over_the_seeds():
    results, settings = swept()
    assert cells(results, "A", settings) == pytest.approx(
        {(0, 0.0): 32.5, (1, 0.0): 32.5, (0, 0.9): 32.5, (1, 0.9): 37.5}
    )


def test_table_has_a_row_for_each_k_and_the_extremes():
    results, settings = swept()
    del results[Run("A", settings[0, 0.9], 1)], results[Run("A", settings[0, 0.9], 2)]
    grid = table("A", "dev", 2, cells(results, "A", settings))
    assert grid.rows == [
        ["k = 0", "32.50", "-", "32.50"],
        ["k = 1", "32.50", "37.50", "35.00"],
        ["mean", "32.50", "37.50", "35.00"],
    ]
    assert grid.notes[0].startswith("Lowest 32.50, highest 37.50")


@pytest.mark.heavy
def test_heat_map_is_written_with_its_values(tmp_path):
    pytest.importorskip("matplotlib", reason="heat maps need matplotlib")
    values = {(k, p): 80 + k + p for k in KS for p in PS}
    values[1, 0.9] = None
    png, svg = heat_map("A title", values, tmp_path / "below" / "map")
    assert png.read_bytes().startswith(b"\x89PNG")
    first = svg.read_bytes()
    # Text is drawn as outlines, with what it says in a comment.
    for text in (b"80.90", b"81.00", b"A title"):
        assert text in first
    heat_map("A title", values, tmp_path / "below" / "map")
    assert svg.read_bytes() == first
    assert len(list(svg.parent.iterdir())) == 2


@pytest.mark.heavy
def test_heat_map_without_any_value(tmp_path):
    pytest.importorskip("matplotlib", reason="heat maps need matplotlib")
    heat_map("Nothing", dict.fromkeys([(0, 0.0), (1, 0.0)]), tmp_path / "map")
    assert (tmp_path / "map.png").exists()
