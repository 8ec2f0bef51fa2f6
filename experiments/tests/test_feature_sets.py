"""Feature sets compared: settings, headings, tables."""

import pytest

from experiments import feature_sets
from experiments.oracles import Comparison
from experiments.settings import SYSTEMS, Setting

from .builders import result, run

WITHOUT = "spacy_dynoracle.ZhangNivre2011WithoutTags.v1"
HYBRID = "spacy_dynoracle.RichHybridWithoutTags.v1"


@pytest.mark.parametrize(
    ("features", "heading"),
    [
        (None, "eager"),
        (WITHOUT, "eager, ZhangNivre2011WithoutTags"),
        ("mine.v2", "eager, mine"),
        ("mine", "eager, mine"),
    ],
)
def test_headings(features, heading):
    assert feature_sets.title(Setting("eager", features=features)) == heading


def test_sets():
    assert feature_sets.sets_of(["eager", "hybrid"], []) == [
        ("eager", None),
        ("eager", WITHOUT),
        ("hybrid", None),
        ("hybrid", HYBRID),
    ]
    assert feature_sets.sets_of(["eager"], ["a", "b"]) == [
        ("eager", None),
        ("eager", "a"),
        ("eager", "b"),
    ]


def test_every_system_has_a_set_without_tags():
    for name, system in SYSTEMS.items():
        assert system.without_tags.endswith("WithoutTags.v1"), name


def test_tables():
    settings = [
        Setting(system, features=features)
        for system, features in feature_sets.sets_of(["eager", "hybrid"], [])
    ]
    results = {
        run("A"): result([8, 8]),
        run("A", features=WITHOUT): result([8, 7]),
        run("A", "hybrid"): result([9, 9]),
        run("A", "hybrid", features=HYBRID): result([6, 6]),
    }
    comparison = Comparison(results, ["A"], settings, "test", feature_sets.title)
    speeds = {"A": {"eager": [4000, 2000], settings[1].system: [2000, 2000]}}
    grids, values = feature_sets.report(comparison, speeds)
    by_title = {grid.title: grid for grid in grids}
    scores = by_title["UAS, test set, all words"]
    assert scores.columns[1:] == [
        "eager",
        "eager, ZhangNivre2011WithoutTags",
        "hybrid",
        "hybrid, RichHybridWithoutTags",
    ]
    differences = by_title["Differences, UAS"]
    assert differences.columns[1:] == [
        "eager, ZhangNivre2011WithoutTags - eager",
        "hybrid, RichHybridWithoutTags - hybrid",
    ]
    assert differences.rows[0][1].startswith("-5.00")
    assert differences.rows[0][2].startswith("-30.00")
    assert len(values["runs"]) == 4
