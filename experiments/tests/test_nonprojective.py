"""Non-projective arcs: what they are, and their precision and recall."""

import pytest

from experiments import nonprojective
from experiments.oracles import Comparison
from experiments.scoring import crossing_counts
from experiments.settings import Setting
from tests.harbour import FILE

from .builders import result, run


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        # 1 <- 3 passes over the root 2, no descendant of 3.
        ([3, 0, 2], [3, 0, 2], (1, 1, 1, 1)),
        ([3, 0, 2], [2, 0, 2], (1, 0, 0, 0)),
        # An arc over its own descendants is projective.
        ([3, 1, 0], [3, 1, 0], (0, 0, 0, 0)),
        # Found, although the predicted tree makes it projective.
        ([3, 0, 2], [3, 3, 0], (1, 1, 0, 0)),
        # Right, although it is projective in the gold tree.
        ([3, 3, 0], [3, 0, 2], (0, 0, 1, 1)),
        # A wrong one.
        ([2, 0, 2, 3], [2, 0, 2, 1], (0, 0, 1, 0)),
        # An unknown gold head does not count.
        ([None, 0, 2], [3, 0, 2], (0, 0, 0, 0)),
    ],
)
def test_crossing_arcs(gold, predicted, expected):
    assert crossing_counts(gold, predicted) == expected


def test_tables():
    settings = [Setting(s, nonprojective=arcs) for s, arcs in nonprojective.SETTINGS]
    results = {
        run("A", "swap", nonprojective="projectivize", seed=seed): result(
            [8, 8], crossing=(4, 3, 3, 2)
        )
        for seed in (1, 2)
    }
    results[run("A", nonprojective="projectivize")] = result([8, 7])
    found = Comparison(results, ["A", "B"], settings, "test", nonprojective.title)
    speeds = {"A": {"swap": [2000, 3000], "eager, projectivize": [4000, 4000]}}
    derivations = {"A": [(10, 20), (10, 35), (0, 0)]}
    grids, values = nonprojective.report(found, speeds, derivations)
    by_title = {grid.title: grid for grid in grids}
    crossing = by_title["Non-projective arcs, test set, all words"].rows
    assert crossing[0] == ["A", "swap", "16", "12", "66.7", "75.0"]
    assert crossing[1][1:] == ["eager, projectivize", "0", "0", "-", "-"]
    assert crossing[2][2:] == ["-"] * 4
    assert by_title["Differences, UAS"].rows[0][1].startswith("+5.00")
    assert by_title["Speed of nlp.pipe"].rows[0] == ["A", "swap", "2,500", "0.62"]
    assert by_title["Derivations of SWAP"].rows == [["A", "2.75", "3.50", "10", "35"]]
    assert values["crossing"]["A"]["swap"]["gold"] == 16


@pytest.mark.heavy
def test_derivations_have_at_least_a_transition_for_each_word(pipeline):
    rows = nonprojective.measure_derivations(pipeline, FILE)
    # Arc-eager with ROOT first: from 2n - k transitions to 4n.
    assert all(words < transitions <= 4 * words for words, transitions in rows)
