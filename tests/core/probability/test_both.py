"""What greedy and sampled derivations have in common."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_dynoracle import ArcEager
from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.probability.sampling import sample_arcs

from ..builders import is_tree, sentence
from ..random_models import (
    KINDS,
    ROOT_LABEL,
    TAGS,
    WORDS,
    every_kind,
    every_system,
    model_without_weights,
    random_batch,
    random_model,
    random_sentence,
)
from .test_greedy import assert_as_naive
from .test_sampling import assert_is_marginal, equal, sampled

EMPTY = sentence((), ())
both = pytest.mark.parametrize("function", [sample_arcs, parse_with_probabilities])


# ---- where no score decides ----------------------------------------------------------


@pytest.mark.parametrize("keys", [[], [("LEFT", "a")], [("RIGHT", "a")]], ids=str)
@every_system
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
    assert p.log_words.sum() < math.log(1 / 2)


# ---- batches -------------------------------------------------------------------------


@pytest.mark.parametrize("system", [*KINDS, ArcEager("none", True)], ids=repr)
@given(data=st.data())
def test_sentences_do_not_influence_each_other(system, data):
    model = random_model(system)
    lengths = data.draw(st.lists(st.integers(0, 12), max_size=6))
    batch = random_batch(data.draw(st.integers(0, 9)), lengths)
    alone = [sampled(model, [item])[0] for item in batch]
    assert sampled(model, batch) == alone
    assert sampled(model, batch[::-1]) == alone[::-1]
    assert sampled(model, batch + batch) == alone + alone


@every_kind
def test_public_view_is_as_the_saved_model(system):
    view = random_model(system, public=True)
    frozen = view.freeze()
    batch = random_batch(8, [6, 4])
    assert equal(sample_arcs(view, batch), sample_arcs(frozen, batch))
    *parse, p = parse_with_probabilities(view, batch)
    *expected, q = parse_with_probabilities(frozen, batch)
    assert equal([*parse, *p], [*expected, *q])


@both
def test_nothing_to_parse(function):
    model = random_model(ArcEager())
    for nothing in ([], (), iter([]), [EMPTY], [EMPTY, EMPTY]):
        result = function(model, nothing)
        assert len(result[0]) == (1 if function is sample_arcs else 0)
        assert len(result[1]) == 0


@every_kind
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
    assert np.isfinite(p.log_words).all()
    assert p.log_words.sum() < -100


# ---- what is refused -----------------------------------------------------------------


@both
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


@both
def test_actions_without_weights(function):
    """As `Search.parse` does."""
    model = random_model(ArcEager())
    model.actions.add("LEFT", "new")
    with pytest.raises(ValueError, match="weights for"):
        function(model, random_batch(0, [3]))
