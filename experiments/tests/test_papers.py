"""The papers' figures: complete, and what is computed from them."""

import pytest

from experiments.metrics import MEASURES
from experiments.papers import CONDITIONS, Claim, distance, papers

TABLES = {table.id: table for paper in papers() for table in paper.tables}


def test_every_table_says_where_it_comes_from():
    assert len(TABLES) == sum(len(paper.tables) for paper in papers())
    for paper in papers():
        assert paper.title
        assert paper.data
        for table in paper.tables:
            assert table.table.startswith(("Table", "Figure"))
            assert table.measure in MEASURES
            assert table.condition in CONDITIONS
            assert table.claims or table.note


def test_figures_and_means():
    table = TABLES["gn13-uas"]
    assert table.figure("eager dynamic", "English") == 88.69
    assert table.figure("eager dynamic", "Klingon") is None
    assert table.figure("lazy", "English") is None
    # The specification computes these means from the table.
    gains = [
        table.mean(f"{system} dynamic") - table.mean(f"{system} static")
        for system in ("eager", "hybrid", "easy-first")
    ]
    assert gains == pytest.approx([1.10, 0.62, 0.53], abs=0.005)
    assert TABLES["l15-scores"].figure("BASELINE", "Chinese") == 86.44


def test_effects_point_the_way_the_claim_does():
    assert Claim("", "a", "b").effect(3.0, 1.0) == 2
    assert Claim("", "a", "b", "lower").effect(3.0, 1.0) == -2
    ratio = Claim("", "a", "b", "ratio")
    assert (ratio.effect(2.0, 6.0), ratio.neutral) == (3, 1)
    (best, *_) = TABLES["l15-generation"].claims
    assert TABLES["l15-generation"].effects(best) == pytest.approx(
        {"English, PTB": 0.01, "Chinese, CTB5": 0.04}
    )


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "better"},
        {"conditions": ("coloured",)},
        {"than": None},
        {"kind": "at_most"},
    ],
)
def test_claims_that_are_none(values):
    with pytest.raises(ValueError, match="claim 'it rains'"):
        Claim(**{"text": "it rains", "better": "a", "than": "b", **values})


def test_distance_from_calibration():
    assert distance({0.5: (10, 55.0), 0.9: (30, 99.0)}) == pytest.approx(3)
    assert distance({0.5: (0, 0.0)}) == 0
