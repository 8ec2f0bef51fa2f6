"""Pictures, and what learning curves save."""

import pytest

from experiments import pictures
from experiments.plan import Row
from experiments.results import Results
from experiments.settings import ALL, Setting
from experiments.verdicts import Counts

from .builders import add, experiment, place

CURVES = {
    "random": [(101, [60.0, 62.0]), (202, [70.0, 74.0])],
    "entropy": [(101, [60.0, 62.0]), (202, [74.0, 76.0])],
    ALL: [(400, [80.0, 82.0])],
}


@pytest.mark.heavy
def test_a_heat_map_has_its_values(tmp_path):
    settings = {(k, p): Setting(k=k, p=p) for k, p in [(0, 0.0), (0, 0.9), (1, 0.9)]}
    rows = [Row(f"{k} {p}", one, ("scores",)) for (k, p), one in settings.items()]
    found = Results(["A", "B"])
    for heads, row in enumerate(rows, 7):
        add(found, row.name, "A", {1: [heads, 8]})
    planned = experiment(*rows)
    ((file,), notes) = pictures.heat_maps(planned, found, tmp_path)
    assert (file.name, notes) == ("mine-A.svg", [])
    first = file.read_text(encoding="utf8")
    for text in ("75.00", "80.00", "85.00", "A, test set: UAS"):
        assert text in first
    # Without exploration all k are one; the same values give the same bytes.
    assert first.count(">75.00<") == 2
    pictures.heat_maps(planned, found, tmp_path)
    assert file.read_text(encoding="utf8") == first


@pytest.mark.heavy
def test_learning_curves(tmp_path):
    rows = [Row(name, Setting(strategy=name), ()) for name in CURVES]
    found = Results(["A"])
    for name, steps in CURVES.items():
        for i, (words, scores) in enumerate(steps):
            for seed, las in enumerate(scores, 1):
                for measure, value in ((f"words@{i}", words), (f"las@{i}", las)):
                    counts = Counts([value], [1], unit=1)
                    found.add(place(name, measure), "A", seed, counts)
    (file,), (note,) = pictures.learning_curves(experiment(*rows), found, tmp_path)
    text = file.read_text(encoding="utf8")
    assert all(name in text for name in ("random", "entropy", "all 400 words"))
    assert note.startswith("A: entropy needs 180 words")


def test_words_that_a_strategy_saves():
    # 11 of the 14 points from 61 to 75, on the way from 101 to 202 words.
    assert pictures.savings(CURVES) == [
        "entropy needs 180 words for the 72.00 that random has with 202 (-11 %)."
    ]
    assert pictures.savings({"entropy": CURVES["entropy"]}) == []


def test_words_for_a_score_out_of_reach():
    assert pictures.words_for(CURVES["random"], 72.1) is None
    assert pictures.words_for(CURVES["random"], 50.0) == 101
