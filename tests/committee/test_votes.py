"""Votes of arcs and their calibrated probabilities, against plain counting."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.committee.calibration import VoteCalibration
from spacy_dynoracle.committee.votes import Votes

# For every word the (head, label) of each member.
ballots = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(
            st.tuples(st.integers(-1, 1), st.integers(1, 2)), min_size=n, max_size=n
        ),
        min_size=1,
        max_size=6,
    )
)


def votes_of(words):
    """The votes, from the (head, label) pairs of the members for each word."""
    table = np.array(words, dtype=np.int64).transpose(1, 0, 2)
    return Votes.of(list(table.view(np.uint64)), np.arange(len(words)))


def any_calibration(n, seed):
    """Probabilities that nobody has fitted."""
    random = np.random.default_rng(seed)
    return VoteCalibration(random.random(n + 1), random.random((n + 1, n + 1)))


@given(ballots)
def test_votes_are_counted(words):
    votes = votes_of(words)
    for w, ballot in enumerate(words):
        arcs, heads = Counter(ballot), Counter(head for head, _ in ballot)
        seen = set()
        for m, (head, label) in enumerate(ballot):
            assert votes.head_votes[m, w] == heads[head]
            assert votes.arc_votes[m, w] == arcs[head, label]
            assert votes.first_arc[m, w] == ((head, label) not in seen)
            assert votes.first_head[m, w] == (head not in {h for h, _ in seen})
            seen.add((head, label))


@given(ballots, st.integers(0, 99))
def test_probabilities_are_those_of_distributions(words, seed):
    votes = votes_of(words)
    n = votes.n_members
    for calibration in (None, any_calibration(n, seed)):
        heads, arcs = votes.probabilities(calibration)
        assert np.all((heads * votes.first_head).sum(axis=0) <= 1 + 1e-9)
        assert np.all(arcs <= heads + 1e-9)
        # The labels of one head.
        sums = (votes.same_head * (arcs * votes.first_arc)).sum(axis=1)
        assert np.all(sums <= heads + 1e-9)
    heads, arcs = votes.probabilities(None)
    np.testing.assert_array_equal(heads, votes.head_votes / n)
    np.testing.assert_array_equal(arcs, votes.arc_votes / n)


def test_probabilities_are_looked_up():
    labels = [[0, 0, 0, 0], [0, 0.9, 0, 0], [0, 0.3, 0.8, 0], [0, 0.2, 0.5, 0.99]]
    calibration = VoteCalibration(np.array([0, 0.1, 0.7, 0.95]), np.array(labels))
    words = [[(1, 1)] * 3, [(1, 1), (1, 2), (1, 1)], [(1, 1), (-1, 1), (1, 1)]]
    heads, arcs = votes_of(words).probabilities(calibration)
    np.testing.assert_allclose(heads[0], [0.95, 0.95, 0.7])
    np.testing.assert_allclose(arcs[0], [0.95 * 0.99, 0.95 * 0.5, 0.7 * 0.8])
    assert heads[1, 2] == 0.1
    assert arcs[1, 1] == pytest.approx(0.95 * 0.2)


# ---- fitting -------------------------------------------------------------------------


def fitted(words, gold):
    """Fitted to votes. gold: the right (head, label) of each word, None if unknown."""
    votes = votes_of(words)
    heads = np.array([9 if arc is None else arc[0] for arc in gold])
    labels = np.array([9 if arc is None else arc[1] for arc in gold], dtype=np.uint64)
    known = np.array([arc is not None for arc in gold])
    return VoteCalibration.fit(
        votes, votes.heads == heads, votes.labels == labels, np.stack([known, known])
    )


def test_shares_of_right_arcs():
    # 30 words about which both members agree: 24 heads are right, 18 with the label.
    words = [[(1, 1), (1, 1)]] * 30
    gold = [(1, 1)] * 18 + [(1, 2)] * 6 + [(-1, 1)] * 6
    # 20 about which they differ: the first member is right in 8, the second in 4.
    words += [[(1, 1), (-1, 1)]] * 20
    gold += [(1, 1)] * 8 + [(-1, 1)] * 4 + [(0, 1)] * 8
    # Words whose gold head is unknown do not count.
    words += [[(1, 1), (1, 1)]] * 50
    gold += [None] * 50
    found = fitted(words, gold)
    # One more item each, right with the share of the votes.
    expected = [0, (12 + 1 / 2) / (40 + 1), (24 + 1) / (30 + 1)]
    np.testing.assert_allclose(found.heads, expected, atol=1e-6)
    expected = [[0, 0, 0], [0, (12 + 1) / (12 + 1), 0], [0, 0.5, (18 + 1) / (24 + 1)]]
    np.testing.assert_allclose(found.labels, expected, atol=1e-6)


def test_without_a_gold_head_nothing_is_fitted():
    with pytest.raises(ValueError, match="no gold head"):
        fitted([[(1, 1), (1, 1)]], [None])


@given(ballots, st.data())
def test_probabilities_rise_with_the_votes(words, data):
    """They are the isotonic regression of the shares: no rising numbers are nearer."""
    arcs = st.tuples(st.integers(-1, 1), st.integers(1, 2))
    gold = [data.draw(arcs) for _ in words]
    found = fitted(words, gold)
    n = found.n_members
    assert found.heads[0] == 0
    assert np.all(np.diff(found.heads) >= 0)
    for k in range(1, n + 1):
        assert np.all(np.diff(found.labels[k, : k + 1]) >= 0)
        assert np.all(found.labels[k, k + 1 :] == 0)
    counts, right = Counter(range(1, n + 1)), {k: k / n for k in range(1, n + 1)}
    for ballot, (head, _) in zip(words, gold, strict=True):
        for voted, k in Counter(h for h, _ in ballot).items():
            counts[k] += 1
            right[k] += voted == head

    def distance(values):
        return sum(
            counts[k] * (values[k] - right[k] / counts[k]) ** 2 for k in range(1, n + 1)
        )

    steps = st.lists(st.floats(0, 1), min_size=n, max_size=n)
    rising = [0, *sorted(data.draw(steps))]
    assert distance(found.heads) <= distance(rising) + 1e-5


# ---- saving --------------------------------------------------------------------------


def test_values_for_json():
    calibration = any_calibration(4, 1)
    values = json.loads(json.dumps(calibration.as_dict()))
    found = VoteCalibration.from_dict(values, 4)
    np.testing.assert_array_equal(found.heads, calibration.heads)
    np.testing.assert_array_equal(found.labels, calibration.labels)
    assert found.n_members == 4
    with pytest.raises(ValueError, match=r"calibration.heads: expected 4 numbers"):
        VoteCalibration.from_dict(values, 3)


@pytest.mark.parametrize(
    "damage",
    [
        {"heads": None},
        {"heads": [0, 2]},
        {"heads": [0, float("nan")]},
        {"heads": ["a", "b"]},
        {"labels": [[0, 0]]},
        {"labels": [[0, 0], [0]]},
        {"labels": [[0, -1], [0, 0]]},
    ],
)
def test_damaged_values_are_refused(damage):
    values = {"heads": [0, 1], "labels": [[0, 0], [0, 1]]}
    assert VoteCalibration.from_dict(values, 1).n_members == 1
    (name,) = damage
    with pytest.raises(ValueError, match=rf"calibration.{name}: expected"):
        VoteCalibration.from_dict(values | damage, 1)
    with pytest.raises(ValueError, match="expected numbers"):
        VoteCalibration.from_dict([1], 1)
