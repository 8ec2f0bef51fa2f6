"""The plans: rows, scales and changes."""

import pytest

from experiments.papers import DISTANCE, papers
from experiments.pictures import PICTURES
from experiments.plan import SCALES, plans, read_plan


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", plans())
def test_every_plan_can_be_read(name, scale):
    experiment = read_plan(name, scale)
    names = [(row.condition, row.name) for row in experiment.rows]
    assert len(set(names)) == len(names)
    assert experiment.picture in (None, *PICTURES)
    assert bool(experiment.sizes) == (scale == "small")


def test_the_plans_cover_what_the_papers_claim():
    """Every row of a claim is measured, under each of its conditions."""
    done = {
        (experiment.paper, row.condition, row.name)
        for experiment in map(read_plan, plans())
        for row in experiment.rows
    }
    for paper in papers():
        for table in paper.tables:
            for claim in table.claims:
                for row in {claim.better, claim.than} - {None, DISTANCE, "old", "new"}:
                    for condition in claim.conditions:
                        assert (paper.id, condition, row) in done


def test_rows_are_all_combinations():
    experiment = read_plan("goldberg_nivre_2013_exploration")
    found = {row.name: row.setting for row in experiment.rows}
    assert len(found) == 1 + 6 * 3
    assert found["p=0"].p == 0
    one = found["k=3, p=0.9"]
    assert (one.k, one.p, one.tag_attr) == (3, 0.9, "TAG")


def test_scales():
    small = read_plan("liu_2015", "small")
    assert {row.setting.beam_size for row in small.rows} == {16}
    assert {row.setting.epochs for row in small.rows} == {5}
    assert {row.setting.beam_size for row in read_plan("liu_2015").rows} == {64}


def test_changes():
    changes = {"system": ["eager"], "epochs": 2, "splits": ["dev"]}
    experiment = read_plan("goldberg_nivre_2013", changes=changes)
    assert {row.setting.system for row in experiment.rows} == {"eager"}
    assert {row.setting.epochs for row in experiment.rows} == {2}
    assert experiment.splits == ("dev",)
    # Pairs of rows that are left out are not compared.
    assert experiment.compare == (("eager dynamic", "eager static"),)


def test_one_value_stands_for_rows_that_vary():
    experiment = read_plan("goldberg_nivre_2013", changes={"oracle": "static"})
    assert {row.setting.oracle for row in experiment.rows} == {"static"}


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("atlantis", {}, "no experiment 'atlantis': expected active_learning, "),
        ("nowhere.yaml", {}, "no experiment 'nowhere.yaml'"),
        ("partial", {"epoch": 3}, "'epoch': expected one of title, paper"),
        ("partial", {"system": ["eager"]}, "system: expected one value"),
        ("partial", {"metrics": ["score"]}, "metrics 'score': expected some of scores"),
        ("partial", {"splits": ["train"]}, "splits 'train': expected test or dev"),
        (
            "nonprojective",
            {"speed": "light"},
            "no row 'light'; rows: committee, projectivize; covington",
        ),
    ],
)
def test_errors(name, changes, message):
    with pytest.raises(ValueError, match=message):
        read_plan(name, changes=changes)


def test_a_plan_of_your_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\nrows:\n  - {name: one, system: hybrid}\n")
    (row,) = read_plan(str(path)).rows
    assert row.setting.system == "hybrid"
    path.write_text("title: Mine\nrows:\n  - {name: one, sytem: hybrid}\n")
    with pytest.raises(ValueError, match="'sytem': expected one of system"):
        read_plan(str(path))
