"""A short round on every surface, and the runner itself.

The round has always the same seed, so that a failure comes from the change that was
made. `python -m tests.fuzz` looks further.
"""

import os

import pytest

from . import faulty, runner, surface

pytestmark = pytest.mark.heavy

SEED = 16


@pytest.mark.parametrize("name", surface.NAMES)
def test_a_short_round(name):
    n = surface.surface(name).SHORT
    report = runner.run(name, SEED, range(n))
    assert not report.findings, "\n\n".join(map(str, report.findings))
    assert report.n_cases == n


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_runner_counts_every_kind_of_fault():
    n, seed = 12, 4
    report = runner.run("faulty", seed, range(n))
    kinds = [
        surface.random_of("faulty", seed, i).choice(faulty.KINDS) for i in range(n)
    ]
    assert set(kinds) == set(faulty.KINDS)
    expected = ["hang" if kind == "endless" else kind for kind in kinds]
    found = {finding.number: finding.outcome for finding in report.findings}
    assert [found.get(i, "fine") for i in range(n)] == expected
    assert report.n_cases == n
    text = str(report)
    assert f"in {n} cases" in text
    assert f"{kinds.count('crash')} crashes" in text


def test_a_round_ends_in_time_and_can_be_repeated():
    report = runner.run("merges", 1, range(10**6), seconds=2)
    assert 0 < report.n_cases < 10**6
    again = runner.run("merges", 1, range(report.n_cases))
    assert again.n_tried == report.n_tried
