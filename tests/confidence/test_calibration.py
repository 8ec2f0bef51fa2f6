"""The numbers behind `calibrate`: bins, temperatures and rankings."""

from itertools import permutations

import numpy as np
import pytest

from spacy_dynoracle.confidence.calibration import BINS, calibration
from spacy_dynoracle.confidence.coverage import CertaintyRanking
from spacy_dynoracle.confidence.temperature import ScoredDecisions, fit_temperature


def measured(values, correct, log_likelihood=None):
    values = np.array(values, dtype=float)
    if log_likelihood is None:
        log_likelihood = np.zeros(len(values))
    return calibration(
        values, np.array(correct, dtype=bool), np.array(log_likelihood, dtype=float)
    )


def ranking(certainty, correct):
    return CertaintyRanking(
        np.array(certainty, dtype=float), np.array(correct, dtype=bool)
    )


# ---- calibration ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "start"),
    [
        (0.0, 0.0),
        (0.0999, 0.0),
        (0.1, 0.1),
        (3 / 10, 0.3),
        (1 - 3 / 10, 0.7),
        (0.6 + 1e-12, 0.6),
        (0.999999, 0.9),
        (1.0, 1.0),
        # Rounding of a sum of shares.
        (1 + 1e-12, 1.0),
    ],
)
def test_bin_holds_its_least_value_and_one_is_a_bin_of_its_own(value, start):
    (found,) = [b for b in measured([value], [True]).bins if b.count]
    assert found.start == start


def test_bins_count_and_average():
    result = measured([0.72, 0.78, 0.75, 1.0], [True, False, True, True])
    by_start = {b.start: b for b in result.bins}
    assert list(by_start) == list(BINS)
    assert by_start[0.7].count == 3
    assert by_start[0.7].accuracy == pytest.approx(2 / 3)
    assert by_start[0.7].mean == pytest.approx(0.75)
    assert by_start[0.5] == type(by_start[0.5])(0.5, 0, 0.0, 0.0)


def test_calibration_error_weighs_bins_by_their_items():
    # Bin 0.9: |1/2 - 0.9|, two items; bin 0.2: |0 - 0.25|, one.
    result = measured([0.9, 0.9, 0.25], [True, False, False])
    assert result.error == pytest.approx((2 * 0.4 + 0.25) / 3)
    assert result.brier == pytest.approx((0.01 + 0.81 + 0.0625) / 3)
    assert result.accuracy == pytest.approx(1 / 3)
    assert result.mean == pytest.approx((0.9 + 0.9 + 0.25) / 3)


def test_what_is_impossible_is_left_out_of_the_likelihood():
    result = measured([0.5, 0.5, 0.5], [1, 1, 0], [-1.0, -3.0, -np.inf])
    assert result.log_likelihood == pytest.approx(-2)
    assert result.n_impossible == 1


def test_nothing_is_measured_on_nothing():
    result = measured([], [])
    assert (result.count, result.error, result.log_likelihood) == (0, 0, 0)


# ---- temperature ---------------------------------------------------------------------


def decisions(temperature, n=4000, n_actions=5, seed=1):
    """Scores, and as the correct set an action drawn at a temperature, sometimes with
    another one.
    """
    random = np.random.default_rng(seed)
    scores, sets = [], []
    for _ in range(n):
        s = random.normal(0, 3, n_actions).astype(np.float32)
        p = np.exp(s / temperature - np.max(s / temperature))
        correct = np.zeros(n_actions, dtype=bool)
        correct[random.choice(n_actions, p=p / p.sum())] = True
        scores.append(s)
        sets.append(correct)
    return scores, sets


@pytest.mark.parametrize("temperature", [0.7, 1.0, 6.0])
def test_temperature_that_made_the_data_is_found(temperature):
    fitted = fit_temperature(ScoredDecisions(*decisions(temperature)))
    assert fitted == pytest.approx(temperature, rel=0.08)


def test_temperature_scales_with_the_scores():
    scores, sets = decisions(2.0, n=300)
    fitted = fit_temperature(ScoredDecisions(scores, sets))
    large = fit_temperature(ScoredDecisions([1000 * s for s in scores], sets))
    assert large == pytest.approx(1000 * fitted, rel=1e-4)


def test_likelihood_is_that_of_the_whole_correct_set():
    scores = [np.array([1.0, 2.0, -4.0], dtype=np.float32)]
    sets = [np.array([True, False, True])]
    e = np.exp(np.array([1.0, 2.0, -4.0]) / 2.5)
    found = ScoredDecisions(scores, sets).log_likelihood(2.5)
    assert found == pytest.approx(np.log((e[0] + e[2]) / e.sum()))


def test_decisions_that_say_nothing_do_not_count():
    scores, sets = decisions(2.0, n=200)
    more = [np.array([7.0], dtype=np.float32), np.array([1.0, 5.0], dtype=np.float32)]
    fitted = fit_temperature(ScoredDecisions(scores, sets))
    with_more = ScoredDecisions(
        scores + more, [*sets, np.array([True]), np.array([False, False])]
    )
    assert with_more.count == 200
    assert fit_temperature(with_more) == pytest.approx(fitted)


def test_large_scores_do_not_overflow():
    scores = [np.array([1e6, -1e6], dtype=np.float32)] * 3
    sets = [np.array([True, False])] * 2 + [np.array([False, True])]
    # Right two times of three, whatever the scores: log(2) is the logit of it.
    fitted = fit_temperature(ScoredDecisions(scores, sets))
    assert fitted == pytest.approx(2e6 / np.log(2), rel=1e-3)


def test_no_temperature_fits_without_a_mistake_or_any_sense():
    scores = [np.array([3.0, 1.0], dtype=np.float32)] * 3
    right, wrong = np.array([True, False]), np.array([False, True])
    with pytest.raises(ValueError, match="no mistake"):
        fit_temperature(ScoredDecisions(scores, [right] * 3))
    with pytest.raises(ValueError, match="say nothing"):
        fit_temperature(ScoredDecisions(scores, [wrong] * 3))
    with pytest.raises(ValueError, match="no decision"):
        fit_temperature(ScoredDecisions([], []))


# ---- ranking -------------------------------------------------------------------------

CERTAINTY = [0.9, 0.5, 0.9, 0.2, 0.5, 0.5]
CORRECT = [True, False, False, False, True, True]


def by_all_orders(measure):
    """The mean of a measure over all orders that respect certainty."""
    orders = [
        order
        for order in permutations(range(len(CERTAINTY)))
        if sorted((CERTAINTY[i] for i in order), reverse=True)
        == [CERTAINTY[i] for i in order]
    ]
    return np.mean([measure([CORRECT[i] for i in order]) for order in orders])


@pytest.mark.parametrize("kept", [1, 2, 3, 4, 5, 6])
def test_accuracy_of_the_most_certain_is_the_mean_over_orders_of_equals(kept):
    found = ranking(CERTAINTY, CORRECT).accuracy_of(kept / 6)
    assert found == pytest.approx(by_all_orders(lambda c: np.mean(c[:kept])))


@pytest.mark.parametrize("looked_at", [1, 2, 3])
def test_errors_among_the_least_certain(looked_at):
    wrong, of_all = ranking(CERTAINTY, CORRECT).errors_of(looked_at / 6)
    expected = by_all_orders(lambda c: sum(not hit for hit in c[-looked_at:]))
    assert wrong == pytest.approx(expected / looked_at)
    assert of_all == pytest.approx(expected / 3)


def test_area_counts_pairs():
    wins = [
        (a > b) + (a == b) / 2
        for a, hit in zip(CERTAINTY, CORRECT, strict=True)
        for b, other in zip(CERTAINTY, CORRECT, strict=True)
        if hit and not other
    ]
    assert ranking(CERTAINTY, CORRECT).area() == pytest.approx(np.mean(wins))


def test_threshold_keeps_what_is_at_least_so_certain():
    found = ranking(CERTAINTY, CORRECT)
    assert found.at_least(0.9) == (pytest.approx(2 / 6), pytest.approx(1 / 2))
    assert found.at_least(0.5) == (pytest.approx(5 / 6), pytest.approx(3 / 5))
    assert found.at_least(0.95) == (0.0, 0.0)
