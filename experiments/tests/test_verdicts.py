"""Intervals and the rule that says whether a claim holds."""

import numpy as np
import pytest

from experiments.papers import Claim, papers
from experiments.verdicts import (
    FAILS,
    HOLDS,
    OPEN,
    Counts,
    Effect,
    effects,
    published,
    verdict,
)

CLAIM = Claim("better", "a", "b")
RATIO = Claim("smaller", "a", "b", "ratio")
AT_MOST = Claim("small", "a", kind="at_most")


@pytest.mark.parametrize(
    ("claim", "paper", "interval", "word"),
    [
        (CLAIM, 1.0, (0.1, 0.5), HOLDS),
        (CLAIM, None, (0.1, 0.5), HOLDS),
        (CLAIM, 1.0, (-0.5, -0.1), FAILS),
        (CLAIM, 1.0, (-0.5, 0.9), FAILS),
        (CLAIM, 1.0, (-0.5, 1.5), OPEN),
        (CLAIM, None, (-0.5, 0.9), OPEN),
        (CLAIM, 1.0, None, OPEN),
        (RATIO, 3.0, (1.5, 2.0), HOLDS),
        (RATIO, 3.0, (0.5, 0.9), FAILS),
        (RATIO, 3.0, (0.9, 1.1), FAILS),
        (AT_MOST, 3.0, (1.0, 3.0), HOLDS),
        (AT_MOST, 3.0, (3.5, 4.0), FAILS),
        (AT_MOST, 3.0, (2.5, 4.0), OPEN),
        (AT_MOST, None, (2.5, 4.0), OPEN),
    ],
)
def test_the_rule(claim, paper, interval, word):
    ours = interval and Effect(sum(interval) / 2, *interval)
    found = verdict(claim, paper, ours)
    assert found.word == word
    assert found.why.endswith(".")


@pytest.mark.parametrize(
    ("claim", "paper", "takes"),
    [
        (CLAIM, 1.0, "about 2.2 times the sentences and seeds would decide"),
        (RATIO, 1.2, "about 56 times the sentences and seeds would be needed, so it "),
        (CLAIM, None, "more data would decide"),
    ],
)
def test_what_would_decide(claim, paper, takes):
    assert verdict(claim, paper, Effect(0.5, -0.3, 1.2)).takes.startswith(takes)


def seeds(*rates, n=400, words=10, seed=0):
    """Runs of `n` sentences of ten words, with these shares of right words."""
    generator = np.random.default_rng(seed)
    return {
        i: Counts(generator.binomial(words, rate, n), np.full(n, words))
        for i, rate in enumerate(rates, 1)
    }


def test_effects_and_their_intervals():
    better = {"A": seeds(0.9, 0.9), "B": seeds(0.9, seed=1)}
    than = {"A": seeds(0.8, 0.8, seed=2), "B": seeds(0.9, seed=3), "C": seeds(0.5)}
    each, average = effects(CLAIM, better, than)
    assert list(each) == ["A", "B"]
    for name, effect in each.items():
        values = [
            np.mean([counts.value for counts in row[name].values()])
            for row in (better, than)
        ]
        assert effect.value == pytest.approx(values[0] - values[1])
        assert effect.low < effect.value < effect.high
    assert each["A"].low > 5
    assert each["B"].low < 0 < each["B"].high
    assert average.value == pytest.approx((each["A"].value + each["B"].value) / 2)
    assert average.seeds == (1, 2)
    # Two treebanks are surer than one.
    width = average.high - average.low
    assert width < max(effect.high - effect.low for effect in each.values())


def test_the_same_runs_differ_by_nothing_whatever_is_drawn():
    row = {"A": seeds(0.7, 0.9)}
    _, average = effects(CLAIM, row, row)
    assert (average.value, average.low, average.high) == (0, 0, 0)
    _, average = effects(RATIO, row, row)
    assert (average.low, average.high) == (1, 1)


def test_intervals_know_that_seeds_differ():
    base = {"A": {i: Counts([50] * 9, [100] * 9) for i in (1, 2, 3)}}
    same = {"A": {i: Counts([60] * 9, [100] * 9) for i in (1, 2, 3)}}
    unlike = {"A": {i: Counts([50 + i * 5] * 9, [100] * 9) for i in (1, 2, 3)}}
    widths = [
        effect.high - effect.low
        for effect in (effects(CLAIM, row, base)[1] for row in (same, unlike))
    ]
    assert widths[0] == pytest.approx(0)
    assert widths[1] > 5


def test_only_common_seeds_count():
    better = {"A": {1: Counts([5], [10]), 2: Counts([0], [10])}}
    than = {"A": {1: Counts([4], [10]), 3: Counts([0], [10])}}
    _, average = effects(CLAIM, better, than)
    assert average.value == pytest.approx(10)
    assert average.seeds == (1,)
    assert effects(CLAIM, better, {"A": {3: Counts([4], [10])}}) == ({}, None)


def test_at_most_has_one_row():
    _, average = effects(AT_MOST, {"A": {1: Counts([2.5], [1], unit=1)}}, {})
    assert average.value == average.low == 2.5


def test_no_words_are_no_score():
    assert Counts([], []).value == Counts([0], [0]).value == 0


def test_what_the_papers_print():
    found = {
        (table.id, claim.better): published(table, claim)
        for paper in papers()
        for table in paper.tables
        for claim in table.claims
    }
    assert found["nf14-uas", "new"] == pytest.approx(0.10, abs=0.01)
    assert found["nf14-las", "new"] == pytest.approx(0.12, abs=0.01)
    assert found["gn13-exploration", "k=1, p=0.9"] is None
    assert found["g13-calibration", "distance"] == pytest.approx(3.07, abs=0.01)
