"""Claims of a paper in the results of one experiment."""

from types import SimpleNamespace

import pytest

from experiments.claims import add_claims
from experiments.observations import Row
from experiments.papers import LABELLED, UNLABELLED
from experiments.verdicts import FAILS, HOLDS, Counts

SENTENCES = 200
SIZE = 10


def study(condition, rights):
    """A study of Goldberg & Nivre (2013) with made-up results.

    rights: right heads of each sentence of ten words, by row and treebank.
    """

    def observe(into):
        for name, treebanks in rights.items():
            row = Row("goldberg_nivre_2013", condition, "test", "uas", name)
            into.rows[row] = {
                treebank: {1: Counts([right] * SENTENCES, [SIZE] * SENTENCES)}
                for treebank, right in treebanks.items()
            }

    return SimpleNamespace(
        paper="goldberg_nivre_2013", condition=condition, observe=observe
    )


def claims(condition, **rights):
    """The table of claims, if there is one, and their numbers."""
    grids, values = [], {}
    add_claims(study(condition, rights), grids, values)
    return grids, values.get("claims", [])


EAGER = {"eager static": {"A": 6, "B": 7}, "eager dynamic": {"A": 8, "B": 8}}


def test_effects_of_treebanks_and_their_average():
    (grid,), (claim,) = claims(LABELLED, **EAGER)
    assert claim["claim"] == (
        "The dynamic oracle is better than the static one, arc-eager"
    )
    assert claim["treebanks"]["A"]["value"] == pytest.approx(20)
    assert claim["treebanks"]["B"]["value"] == pytest.approx(10)
    assert claim["average"]["value"] == pytest.approx(15)
    assert claim["verdict"] == HOLDS
    assert grid.columns[-2:] == ["A", "B"]
    (row,) = grid.rows
    assert row[1:3] == ["UAS, test", "+15.00 [+15.00, +15.00]"]
    assert row[4] == HOLDS
    assert row[5:] == ["+20.00 [+20.00, +20.00]", "+10.00 [+10.00, +10.00]"]


def test_a_claim_needs_both_rows_on_one_treebank():
    assert claims(LABELLED, **{"eager static": {"A": 6}}) == ([], [])
    rows = {"eager static": {"A": 6}, "eager dynamic": {"B": 8}}
    assert claims(LABELLED, **rows) == ([], [])
    (grid,), _ = claims(LABELLED, **{name: {"A": 6} for name in EAGER})
    assert grid.columns[-1] == "verdict"


def test_claims_belong_to_conditions():
    """Easy-first is compared with and without labels, arc-eager with labels."""
    assert claims(UNLABELLED, **EAGER) == ([], [])
    rows = {"easy-first dynamic": {"A": 7}, "eager dynamic": {"A": 8}}
    for condition in (LABELLED, UNLABELLED):
        _, (claim,) = claims(condition, **rows)
        assert (claim["condition"], claim["verdict"]) == (condition, FAILS)


def test_equal_rows_are_less_than_the_paper_found():
    _, (claim,) = claims(LABELLED, **{name: {"A": 6} for name in EAGER})
    assert claim["average"]["value"] == 0 < claim["paper"]
    assert claim["verdict"] == FAILS
