"""Arcs of sampled derivations, against all derivations."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from spacy_dynoracle import ArcEager, EasyFirst
from spacy_dynoracle.core.probability.sampling import sample_arcs

from ..builders import is_projective_tree, is_tree, sentence
from ..naive_derivations import marginals
from ..random_models import (
    every_kind,
    every_system,
    model_without_weights,
    random_batch,
    random_model,
)
from .test_greedy import equal

STATM = Path("/proc/self/statm")


def by_word(model, sampled):
    """For each word [((head, label), count), ...], in the order of the result."""
    first, heads, labels, counts = (array.tolist() for array in sampled)
    names = [None if k == -1 else model.labels[k] for k in labels]
    entries = [
        ((head, label), count)
        for head, label, count in zip(heads, names, counts, strict=True)
    ]
    return [entries[i:j] for i, j in pairwise(first)]


def sampled(model, batch, **settings):
    """The same for each sentence."""
    words = iter(by_word(model, sample_arcs(model, batch, **settings)))
    return [[next(words) for _ in range(len(item))] for item in batch]


# ---- exact in expectation ------------------------------------------------------------


def assert_is_marginal(model, item, n_samples=100_000):
    """Every count is within 6 standard deviations of what it should be."""
    expected = marginals(model, item)
    words = by_word(model, sample_arcs(model, [item], n_samples=n_samples))
    counts = {(k, *arc): n for k, word in enumerate(words, 1) for arc, n in word}
    assert counts.keys() <= expected.keys()
    for arc, p in expected.items():
        deviation = math.sqrt(n_samples * p * (1 - p))
        # Of rare arcs there may be one or two.
        assert abs(counts.get(arc, 0) - n_samples * p) <= 6 * deviation + 2, (arc, p)


@every_system
def test_arcs_are_as_frequent_as_they_are_probable(system):
    model = random_model(system)
    for item in random_batch(1, [1, 2, 3]):
        assert_is_marginal(model, item)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 1e4])
@every_kind
def test_arcs_of_other_temperatures(system, temperature):
    (item,) = random_batch(2, [3])
    assert_is_marginal(random_model(system, temperature=temperature), item)


def test_pairs_that_are_not_scored_again():
    """In a longer list an arc leaves the scores of distant pairs as they are."""
    model = random_model(EasyFirst(), labels=[], temperature=0.7)
    (item,) = random_batch(4, [6])
    assert_is_marginal(model, item)


# ---- the result ----------------------------------------------------------------------


@every_system
def test_what_is_counted(system):
    model = random_model(system)
    batch = random_batch(5, [3, 0, 7, 1])
    result = sample_arcs(model, batch, n_samples=50)
    first, heads, labels, counts = result
    assert [a.dtype for a in result] == [np.int64, np.int32, np.int32, np.int32]
    assert first.shape == (12,)
    assert first[0] == 0
    assert first[-1] == len(heads) == len(labels) == len(counts)
    assert (np.diff(first) >= 1).all()
    for word in by_word(model, result):
        assert sum(count for _, count in word) == 50
        assert len({arc for arc, _ in word}) == len(word)
        assert all(count > 0 for _, count in word)


@every_kind
def test_the_most_frequent_first(system):
    """Arcs that are equally frequent come in the order of heads, then labels."""
    model = random_model(system, temperature=5.0)
    first, *columns = sample_arcs(model, random_batch(6, [8, 8]), n_samples=300)
    for i, j in pairwise(first):
        heads, labels, counts = (column[i:j].tolist() for column in columns)
        keys = list(zip([-n for n in counts], heads, labels, strict=True))
        assert keys == sorted(keys)
        assert len(keys) > 1


@every_system
def test_one_sample_is_a_tree(system):
    model = random_model(system, temperature=4.0)
    for seed in range(20):
        (item,) = random_batch(seed, [9])
        (words,) = sampled(model, [item], n_samples=1, seed=seed)
        heads = [head for (((head, _), _),) in words]
        assert is_tree(heads)
        assert is_projective_tree(heads) or not system.projective
        if system.single_root and system.root != "first":
            assert heads.count(0) == 1
        if system.root_label_constraint:
            assert all((head == 0) == (arc == "r") for (((head, arc), _),) in words)


@every_kind
def test_threads_do_not_influence_each_other(system):
    model = random_model(system, public=True)
    batches = [random_batch(seed, [12, 5, 20]) for seed in range(12)]
    expected = [sample_arcs(model, batch, 50) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda batch: sample_arcs(model, batch, 50), batches)
    assert all(map(equal, found, expected))


@every_kind
def test_seeds(system):
    model = random_model(system)
    batch = random_batch(7, [9, 9])
    results = [
        sample_arcs(model, batch, seed=seed) for seed in (0, 1, -1, 2**64, 2**80)
    ]
    assert equal(results[0], sample_arcs(model, batch))
    # Of large integers the lowest 64 bits count.
    assert equal(results[0], results[3])
    assert equal(results[0], results[4])
    assert not equal(results[0], results[1])
    assert not equal(results[1], results[2])
    assert equal(results[2], sample_arcs(model, batch, seed=2**64 - 1))


def test_other_sentences_are_drawn_for_with_other_numbers():
    """So that errors of estimation do not add up."""
    model = model_without_weights(ArcEager(), [("LEFT", "a"), ("RIGHT", "a")])
    # Nothing but the words differs, and there are no weights for them.
    batch = [sentence(["x", word], "NN") for word in "abcdefgh"]
    assert len({str(found) for found in sampled(model, batch)}) > 1


# ---- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize("n_samples", [0, -1, -(2**31)])
def test_too_few_samples(n_samples):
    model = random_model(ArcEager())
    for batch in ([], random_batch(0, [3])):
        with pytest.raises(ValueError, match=f"n_samples = {n_samples}: expected at"):
            sample_arcs(model, batch, n_samples=n_samples)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"n_samples": 2**31}, OverflowError),
        ({"n_samples": 2**70}, OverflowError),
        ({"n_samples": "9"}, TypeError),
        ({"seed": None}, TypeError),
    ],
)
def test_too_many_samples_and_settings_of_other_types(settings, error):
    with pytest.raises(error):
        sample_arcs(random_model(ArcEager()), [], **settings)


# ---- memory --------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.skipif(not STATM.exists(), reason="asks Linux how much memory is in use")
def test_no_memory_is_lost():
    def megabytes():
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2**20

    model = random_model(ArcEager())
    batch = random_batch(16, [1000] * 3)
    sample_arcs(model, batch)
    before = megabytes()
    for _ in range(4):
        sample_arcs(model, batch)
    # The configurations of one of these sentences alone need 5.
    assert megabytes() < before + 25
