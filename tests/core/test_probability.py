"""Probabilities of decisions and of arcs, against all derivations."""

import math
import os
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager, EasyFirst
from spacy_dynoracle.core.probability import parse_with_probabilities, sample_arcs
from spacy_dynoracle.core.search.greedy import GreedySearch

from .builders import is_projective_tree, is_tree, sentence
from .naive_derivations import greedy, initial, marginals, share
from .random_models import (
    KINDS,
    ROOT_LABEL,
    SYSTEMS,
    TAGS,
    WORDS,
    model_without_weights,
    random_batch,
    random_model,
    random_sentence,
)

ALL_SYSTEMS = pytest.mark.parametrize("system", SYSTEMS, ids=repr)
SOME_SYSTEMS = pytest.mark.parametrize("system", KINDS, ids=repr)
EMPTY = sentence((), ())
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


def equal(a, b):
    return len(a) == len(b) and all(map(np.array_equal, a, b))


# ---- sampling: exact in expectation --------------------------------------------------


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


@ALL_SYSTEMS
def test_arcs_are_as_frequent_as_they_are_probable(system):
    model = random_model(system)
    for item in random_batch(1, [1, 2, 3]):
        assert_is_marginal(model, item)


@ALL_SYSTEMS
def test_arcs_of_four_words(system):
    """With fewer labels, for the sake of time."""
    model = random_model(system, labels=["a"] * system.root_label_constraint)
    (item,) = random_batch(3, [4])
    assert_is_marginal(model, item)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 1e4])
@SOME_SYSTEMS
def test_arcs_of_other_temperatures(system, temperature):
    (item,) = random_batch(2, [3])
    assert_is_marginal(random_model(system, temperature=temperature), item)


def test_pairs_that_are_not_scored_again():
    """In a longer list an arc leaves the scores of distant pairs as they are."""
    model = random_model(EasyFirst(), labels=[], temperature=0.7)
    (item,) = random_batch(4, [6])
    assert_is_marginal(model, item)


@pytest.mark.parametrize("keys", [[], [("LEFT", "a")], [("RIGHT", "a")]], ids=str)
@ALL_SYSTEMS
def test_without_an_action_a_rule_decides(system, keys):
    """With probability 1, and the arc has no label."""
    if not keys and system.chooses_pair:
        keys = [("RIGHT", ROOT_LABEL)]
    model = model_without_weights(system, keys, root_label=ROOT_LABEL)
    item = sentence("xyz", "xyz")
    assert_is_marginal(model, item, 10_000)
    assert_as_naive(model, [item, EMPTY, item])


@pytest.mark.parametrize("root_label", ["a", "unknown", None])
@pytest.mark.parametrize("root", ["first", "none"])
def test_words_attached_to_root_in_the_end(root, root_label):
    keys = [("LEFT", "a"), ("RIGHT", "a"), ("RIGHT", "b")]
    model = model_without_weights(ArcEager(root), keys, root_label)
    item = sentence("xyz", "xyz")
    assert_is_marginal(model, item)
    label = "a" if root_label == "a" else None
    assert all((0, label) in dict(word) for word in sampled(model, [item])[0])
    # SHIFT comes first, so the rule makes all arcs of the greedy parse.
    heads, _, p = parse_with_probabilities(model, [item])
    assert heads.tolist() == [0, 0, 0]
    assert p.arcs.tolist() == [1, 1, 1]
    assert p.log_derivation[0] < math.log(1 / 2)


# ---- sampling: the result ------------------------------------------------------------


@ALL_SYSTEMS
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


@SOME_SYSTEMS
def test_the_most_frequent_first(system):
    """Arcs that are equally frequent come in the order of heads, then labels."""
    model = random_model(system, temperature=5.0)
    first, *columns = sample_arcs(model, random_batch(6, [8, 8]), n_samples=300)
    for i, j in pairwise(first):
        heads, labels, counts = (column[i:j].tolist() for column in columns)
        keys = list(zip([-n for n in counts], heads, labels, strict=True))
        assert keys == sorted(keys)
        assert len(keys) > 1


@ALL_SYSTEMS
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


@pytest.mark.parametrize("system", [*KINDS, ArcEager("none", True)], ids=repr)
@settings(max_examples=30)
@given(data=st.data())
def test_sentences_do_not_influence_each_other(system, data):
    model = random_model(system)
    lengths = data.draw(st.lists(st.integers(0, 12), max_size=6))
    batch = random_batch(data.draw(st.integers(0, 9)), lengths)
    alone = [sampled(model, [item])[0] for item in batch]
    assert sampled(model, batch) == alone
    assert sampled(model, batch[::-1]) == alone[::-1]
    assert sampled(model, batch + batch) == alone + alone
    parses = [parse_with_probabilities(model, [item]) for item in batch]
    heads, labels, p = parse_with_probabilities(model, batch)
    for i, whole in enumerate((heads, labels, *p)):
        parts = [(*parse[:2], *parse[2])[i] for parse in parses]
        assert whole.tolist() == [x for part in parts for x in part.tolist()]


@SOME_SYSTEMS
def test_threads_do_not_influence_each_other(system):
    model = random_model(system, public=True)
    batches = [random_batch(seed, [12, 5, 20]) for seed in range(12)]
    expected = [sample_arcs(model, batch, 50) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda batch: sample_arcs(model, batch, 50), batches)
    assert all(map(equal, found, expected))


@SOME_SYSTEMS
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


@SOME_SYSTEMS
def test_public_view_is_as_the_saved_model(system):
    view = random_model(system, public=True)
    frozen = view.freeze()
    batch = random_batch(8, [6, 4])
    assert equal(sample_arcs(view, batch), sample_arcs(frozen, batch))
    *parse, p = parse_with_probabilities(view, batch)
    *expected, q = parse_with_probabilities(frozen, batch)
    assert equal([*parse, *p], [*expected, *q])


# ---- greedy parses -------------------------------------------------------------------


def credited_word(c, option):
    """The word to which a decision counts."""
    if option.arc is not None:
        return option.arc[1]
    if (option.name == "SHIFT" and c.buffer[0] != 0) or c.stack[-1] == 0:
        return c.buffer[0]
    return c.stack[-1]


def assert_as_naive(model, batch):
    """Parses and probabilities of a batch are those of the definitions."""
    heads, labels, p = parse_with_probabilities(model, batch)
    assert equal(GreedySearch().parse(model, batch), (heads, labels))
    start = 0
    for i, item in enumerate(batch):
        c = initial(model, len(item))
        arcs, words = [1.0] * len(item), [[1.0] for _ in range(len(item))]
        for _, choices, best in greedy(model, item, c):
            if choices:
                share_of_best = share(model, best.score, [o.score for o in choices])
                words[credited_word(c, best) - 1].append(share_of_best)
                if best.arc is not None:
                    arcs[best.arc[1] - 1] = share_of_best
        part = slice(start, start + len(item))
        start = part.stop
        assert heads[part].tolist() == list(c.heads)
        names = [None if k == -1 else model.labels[k] for k in labels[part]]
        assert names == [label for _, label, _ in c.arcs]
        assert p.arcs[part] == pytest.approx(arcs, rel=1e-9)
        every = [1.0] + [x for word in words for x in word]
        assert p.log_derivation[i] == pytest.approx(math.fsum(map(math.log, every)))
        assert p.lowest[i] == pytest.approx(min(every), rel=1e-9)
        assert p.log_words[part].sum() == pytest.approx(p.log_derivation[i])
        assert min(p.lowest_words[part], default=1) == p.lowest[i]
        logs = [math.fsum(map(math.log, word)) for word in words]
        assert p.log_words[part] == pytest.approx(logs, abs=1e-12)
        assert p.lowest_words[part] == pytest.approx(list(map(min, words)))
    assert start == len(heads)


@ALL_SYSTEMS
def test_probabilities_of_greedy_parses(system):
    for seed, temperature in enumerate((0.5, 2.0, 20.0)):
        model = random_model(system, seed=seed, temperature=temperature)
        assert_as_naive(model, random_batch(seed, [5, 0, 12, 1, 2, 9]))


@SOME_SYSTEMS
def test_types(system):
    batch = random_batch(9, [4, 0, 3])
    heads, labels, p = parse_with_probabilities(random_model(system), batch)
    assert [a.dtype for a in (heads, labels)] == [np.int32] * 2
    assert {a.dtype for a in p} == {np.dtype(np.float64)}
    by_word = (heads, labels, p.arcs, p.log_words, p.lowest_words)
    assert {a.shape for a in by_word} == {(7,)}
    assert [a.shape for a in (p.log_derivation, p.lowest)] == [(3,)] * 2
    assert p.log_derivation[1] == 0
    assert p.lowest[1] == 1


# ---- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize("function", [sample_arcs, parse_with_probabilities])
def test_nothing_to_parse(function):
    model = random_model(ArcEager())
    for nothing in ([], (), iter([]), [EMPTY], [EMPTY, EMPTY]):
        result = function(model, nothing)
        assert len(result[0]) == (1 if function is sample_arcs else 0)
        assert len(result[1]) == 0


@SOME_SYSTEMS
def test_any_iterable_will_do(system):
    model = random_model(system)
    batch = random_batch(14, [3, 5, 2])
    expected = sample_arcs(model, batch)
    assert equal(sample_arcs(model, tuple(batch)), expected)
    # Nobody else holds these sentences.
    assert equal(sample_arcs(model, (s for s in random_batch(14, [3, 5, 2]))), expected)
    heads, _, _ = parse_with_probabilities(model, batch)
    again, _, _ = parse_with_probabilities(model, iter(random_batch(14, [3, 5, 2])))
    assert equal(heads, again)


@pytest.mark.parametrize("n_samples", [0, -1, -(2**31)])
def test_too_few_samples(n_samples):
    model = random_model(ArcEager())
    for batch in ([], random_batch(0, [3])):
        with pytest.raises(ValueError, match=f"n_samples = {n_samples}: expected at"):
            sample_arcs(model, batch, n_samples=n_samples)


@pytest.mark.parametrize("settings", [{"n_samples": 2**31}, {"n_samples": 2**70}])
def test_too_many_samples(settings):
    with pytest.raises(OverflowError):
        sample_arcs(random_model(ArcEager()), [], **settings)


@pytest.mark.parametrize("settings", [{"n_samples": "9"}, {"seed": None}])
def test_settings_of_other_types(settings):
    with pytest.raises(TypeError):
        sample_arcs(random_model(ArcEager()), [], **settings)


@pytest.mark.parametrize("function", [sample_arcs, parse_with_probabilities])
def test_what_is_no_batch(function):
    model = random_model(ArcEager())
    good = sentence("xy", "NN")
    for wrong in ([None], [good, None], ["xy"], [1], None, 7, good):
        with pytest.raises(TypeError):
            function(model, wrong)
    with pytest.raises(TypeError):
        function(None, [good])
    for columns in (("xy",), ("xy", "xy", "xy")):
        with pytest.raises(ValueError, match="the model reads 2 attributes of a word"):
            function(model, [good, sentence(*columns)])


@pytest.mark.parametrize("function", [sample_arcs, parse_with_probabilities])
def test_actions_without_weights(function):
    """As `Search.parse` does."""
    model = random_model(ArcEager())
    model.actions.add("LEFT", "new")
    with pytest.raises(ValueError, match="weights for"):
        function(model, random_batch(0, [3]))


# ---- long sentences ------------------------------------------------------------------


@pytest.mark.parametrize("system", [*KINDS, ArcEager("none", True)], ids=repr)
def test_a_very_long_sentence(system):
    """After short ones, whose configurations have less room."""
    model = random_model(system, temperature=1.0)
    n, n_samples = (300, 16) if system.chooses_pair else (2000, 64)
    rng = random.Random(15)
    short = random_sentence(rng, 6)
    long = sentence(rng.choices(WORDS, k=n), rng.choices(TAGS, k=n))
    found = sampled(model, [short, long, short], n_samples=n_samples)
    assert found[0] == found[2] == sampled(model, [short], n_samples=n_samples)[0]
    assert all(sum(count for _, count in word) == n_samples for word in found[1])
    # Many derivations were on their way together.
    assert sum(len(word) > 2 for word in found[1]) > n / 2
    heads, _, p = parse_with_probabilities(model, [long])
    assert is_tree(heads.tolist())
    assert np.isfinite(p.log_derivation).all()
    assert p.log_derivation[0] < -100


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
