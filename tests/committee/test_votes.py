"""Votes for arcs and their calibrated probabilities, against plain counting."""

import json
import sys
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle.committee.ballots import Ballot, Drawn
from spacy_dynoracle.committee.calibration import (
    LEVELS,
    Sampling,
    VoteCalibration,
    rising,
)
from spacy_dynoracle.committee.votes import ArcShares, within

arcs = st.tuples(st.integers(-1, 1), st.integers(1, 2))
# For every word the (head, label) of each member, and of derivations that some drew.
N_SAMPLES = 2
elections = st.tuples(st.integers(1, 4), st.integers(0, 3)).flatmap(
    lambda n: st.lists(
        st.tuples(
            st.lists(arcs, min_size=n[0], max_size=n[0]),
            st.lists(
                st.lists(arcs, min_size=N_SAMPLES, max_size=N_SAMPLES),
                min_size=min(n),
                max_size=min(n),
            ),
        ),
        min_size=1,
        max_size=5,
    )
)
IDENTITY = np.arange(LEVELS + 1) / LEVELS


def ballots_of(words):
    """The ballots of the members.

    Each word has two letters, and there is a token before and after the words.
    """
    found = []
    for m in range(len(words[0][0])):
        rows = [(0, 0), *(trees[m] for trees, _ in words), (0, 0)]
        table = np.array(rows, dtype=np.int64).view(np.uint64)
        drawn = None
        if m < len(words[0][1]):
            sampled = [
                (word, *arc)
                for word, (_, members) in enumerate(words, 1)
                for arc in members[m]
            ]
            tokens, offsets, labels = np.array(sampled).T
            ones = np.ones(len(tokens), dtype=np.int32)
            drawn = Drawn(
                tokens, 2 * offsets, labels.astype(np.uint64), ones, N_SAMPLES
            )
        found.append(Ballot(table, np.ones(len(table)), drawn))
    return found


def shares_of(words):
    n = len(words)
    return ArcShares.of(ballots_of(words), np.arange(1, n + 1), 2 * np.arange(n + 2))


def expected_shares(trees, sampled):
    """For each arc of a word its share of the votes."""
    found = defaultdict(Fraction)
    half = Fraction(1, 2) if sampled else Fraction(1)
    for arc in trees:
        found[arc] += half / len(trees)
    for arc in (arc for member in sampled for arc in member):
        found[arc] += half / (len(sampled) * N_SAMPLES)
    return found


def by_word(shares, values):
    """{(head, label): value} of each word."""
    found = [{} for _ in range(shares.n_words)]
    for word, distance, label, value in zip(
        shares.words, shares.distances, shares.labels, values, strict=True
    ):
        found[word][int(distance) // 2, int(label)] = float(value)
    return found


@given(elections)
def test_votes_and_derivations_have_a_half_each(words):
    shares = shares_of(words)
    found = by_word(shares, shares.counts / shares.total)
    heads, labels = shares.probabilities(None)
    assert by_word(shares, labels) == found
    for (trees, sampled), of_word, of_head in zip(
        words, found, by_word(shares, heads[shares.head_of]), strict=True
    ):
        expected = expected_shares(trees, sampled)
        assert of_word == pytest.approx({k: float(v) for k, v in expected.items()})
        for head, label in expected:
            total = sum(v for (h, _), v in expected.items() if h == head)
            assert of_head[head, label] == pytest.approx(float(total))


@given(elections, st.integers(0, 99))
def test_probabilities_are_those_of_distributions(words, seed):
    random = np.random.default_rng(seed)
    shares = shares_of(words)
    curves = random.random((2, LEVELS + 1))
    calibration = VoteCalibration(("a",), Sampling(), *curves)
    heads, found = shares.probabilities(calibration)
    assert np.all(heads >= 0)
    assert np.all(found >= 0)
    of_words = np.bincount(shares.words[shares.first], heads, len(words))
    assert np.all(of_words <= 1 + 1e-9)
    assert np.all(np.bincount(shares.head_of, found) <= heads + 1e-9)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=4)),
        max_size=4,
    )
)
def test_the_largest_value_of_a_group_stays(groups):
    limits = np.array([limit for limit, _ in groups])
    number = np.repeat(np.arange(len(groups)), [len(values) for _, values in groups])
    found = within(
        limits, number, np.array([v for _, values in groups for v in values])
    )
    for i, (limit, values) in enumerate(groups):
        part = found[number == i].tolist()
        assert sum(part) <= limit + 1e-9
        if sum(values) <= limit:
            assert part == values
        top = values.index(max(values))
        assert part[top] == min(max(values), limit)
        # The others keep their proportions.
        rest = [v for k, v in enumerate(values) if k != top]
        scaled = [v for k, v in enumerate(part) if k != top]
        factor = sum(scaled) / sum(rest) if sum(rest) else 1
        assert factor <= 1 + 1e-9
        assert scaled == pytest.approx([factor * v for v in rest])


@given(elections)
def test_values_of_one_arc_of_each_word(words):
    shares = shares_of(words)
    heads, found = shares.probabilities(None)
    chosen = [trees[-1] for trees, _ in words]
    distances = np.array([2 * head for head, _ in chosen])
    labels = np.array([label for _, label in chosen], dtype=np.uint64)
    expected = [expected_shares(*word) for word in words]
    own = [float(s[arc]) for s, arc in zip(expected, chosen, strict=True)]
    assert shares.of_arcs(found, distances, labels).tolist() == pytest.approx(own)
    own = [
        float(sum(v for (h, _), v in s.items() if h == head))
        for s, (head, _) in zip(expected, chosen, strict=True)
    ]
    assert shares.of_heads(heads, distances).tolist() == pytest.approx(own)
    nobody = np.full(len(words), 9)
    assert not shares.of_heads(heads, nobody).any()
    assert not shares.of_arcs(found, nobody, labels).any()


def test_shares_are_those_of_the_counts():
    """0.7 + 0.1 + 0.1 + 0.1 would be less than 1."""
    none = np.zeros(4, dtype=np.int64)
    counts = np.array([7, 1, 1, 1])
    columns = (none, none, np.arange(4).astype(np.uint64), counts)
    shares = ArcShares.counted(1, 10, [columns])
    assert shares.head_shares.tolist() == [1.0]
    assert shares.shares.tolist() == [0.7, 0.1, 0.1, 0.1]


def test_batches_are_joined():
    words = [([(0, 1), (1, 2)], [[(0, 1), (1, 1)]]), ([(1, 1), (1, 1)], [[(0, 2)] * 2])]
    parts = [ballots_of([word]) for word in words]
    joined = [
        Ballot.joined(of_member, [0, 3]) for of_member in zip(*parts, strict=True)
    ]
    characters = 2 * np.arange(6)
    shares = ArcShares.of(joined, np.array([1, 4]), characters)
    together = shares_of(words)
    expected = by_word(together, together.counts)
    assert by_word(shares, shares.counts) == expected
    assert joined[1].drawn is None


# ---- fitting -------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), max_size=60))
def test_probabilities_rise_with_the_share(found):
    tenths = np.array([tenth for tenth, _ in found], dtype=np.int64)
    right = np.array([flag for _, flag in found], dtype=bool)
    curve = rising(tenths / 10, right)
    assert np.all(np.diff(curve) >= -1e-12)


def test_without_scipy_an_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"spacy-dynoracle\[eval\]"):
        fitted([([(1, 1), (1, 1)], [])], [(1, 1)])


def fitted(words, gold):
    """Fitted to votes.

    Args:
        gold: The right (head, label) of each word, None if unknown.
    """
    shares = shares_of(words)
    heads = np.array([9 if arc is None else 2 * arc[0] for arc in gold])
    labels = np.array([9 if arc is None else arc[1] for arc in gold], dtype=np.uint64)
    known = np.array([arc is not None for arc in gold])
    head_right = heads[shares.words] == shares.distances
    return VoteCalibration.fit(
        ("a", "b"),
        Sampling(),
        shares,
        head_right[shares.first],
        head_right & (labels[shares.words] == shares.labels),
        np.stack([known, known]),
    )


def test_shares_of_right_arcs():
    # 300 words about which both members agree: 240 heads are right, 180 with the label.
    words = [([(1, 1), (1, 1)], [])] * 300
    gold = [(1, 1)] * 180 + [(1, 2)] * 60 + [(-1, 1)] * 60
    # 200 about which they differ: the first member is right in 80, the second in 40.
    words += [([(1, 1), (-1, 1)], [])] * 200
    gold += [(1, 1)] * 80 + [(-1, 1)] * 40 + [(0, 1)] * 80
    # Words whose gold head is unknown do not count.
    words += [([(1, 1), (1, 1)], [])] * 500
    gold += [None] * 500
    found = fitted(words, gold)
    assert found.of_heads(np.array([0.5, 1.0])) == pytest.approx([0.3, 0.8], abs=0.05)
    assert found.of_arcs(np.array([0.5, 1.0])) == pytest.approx([0.3, 0.6], abs=0.05)
    # Nothing is certain.
    assert 0 < found.arcs.min() <= found.heads.max() < 1


def test_without_a_gold_head_nothing_is_fitted():
    with pytest.raises(ValueError, match="no gold head"):
        fitted([([(1, 1), (1, 1)], [])], [None])


# ---- saving --------------------------------------------------------------------------

CALIBRATION = VoteCalibration(("a", "b"), Sampling({"b": 70.5}, 8), IDENTITY, IDENTITY)


def test_values_for_json():
    values = json.loads(json.dumps(CALIBRATION.as_dict()))
    found = VoteCalibration.from_dict(values, ("a", "b"))
    assert found.sampling == CALIBRATION.sampling
    np.testing.assert_array_equal(found.heads, IDENTITY)
    np.testing.assert_array_equal(found.arcs, IDENTITY)
    assert found.members == ("a", "b")


@pytest.mark.parametrize(
    "damage",
    [
        {"members": ["a"]},
        {"members": ["b", "a"]},
        {"heads": None},
        {"heads": [0, 1]},
        {"heads": ["a"] * 101},
        {"arcs": [2] * 101},
        {"arcs": [float("nan")] * 101},
        {"temperatures": {"c": 1.0}},
        {"temperatures": {"a": 0}},
        {"temperatures": {"a": float("inf")}},
        {"temperatures": {"a": "warm"}},
        {"temperatures": []},
        {"n_samples": 0},
        {"n_samples": 2.5},
        {"n_samples": 10**9},
        {"n_samples": 10**400},
        {"n_samples": -1},
        {"n_samples": True},
        {"temperatures": {"a": 10**400}},
        {"temperatures": {"a": -1}},
        {"heads": [10**400] * 101},
        {"arcs": [-0.5] * 101},
    ],
    ids=lambda damage: json.dumps(damage)[:40],
)
def test_damaged_values_are_refused(damage):
    (name,) = damage
    with pytest.raises(ValueError, match=rf"calibration\.{name}"):
        VoteCalibration.from_dict(CALIBRATION.as_dict() | damage, ("a", "b"))
    with pytest.raises(ValueError, match="expected its members"):
        VoteCalibration.from_dict([1], ("a", "b"))
