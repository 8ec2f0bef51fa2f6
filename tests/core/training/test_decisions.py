"""The decisions of greedy derivations against those of the definitions."""

import math
import random

import numpy as np
import pytest

from spacy_dynoracle import (
    ArcEager,
    ArcHybrid,
    ArcHybridSwap,
    ArcStandard,
    EasyFirst,
    GoldTree,
)
from spacy_dynoracle.core.learners.averaged_perceptron import AveragedPerceptron
from spacy_dynoracle.core.probability.greedy import parse_with_probabilities
from spacy_dynoracle.core.results import Decisions
from spacy_dynoracle.core.state.labels import Labels
from spacy_dynoracle.core.training.decisions import decisions

from ..builders import sentence
from ..naive_derivations import correct_flags, greedy, share
from ..random_models import (
    LABELS,
    ROOT_LABEL,
    every_kind,
    every_system,
    model_without_weights,
    random_heads,
    random_labels,
    random_model,
    random_sentence,
)

ARRAYS = ("probability", "log_likelihood", "correct", "forced")


def gold_of(model, heads, labels=None):
    return GoldTree(heads, labels, inventory=Labels(model.labels))


def projective(rng, model, n):
    heads = random_heads(rng, n)
    return gold_of(model, heads, random_labels(rng, heads))


def any_tree(rng, model, n):
    heads = random_heads(rng, n, projective=False)
    return gold_of(model, heads, random_labels(rng, heads))


def partial(rng, model, n):
    heads = random_heads(rng, n)
    labels = random_labels(rng, heads)
    some = [head if rng.random() < 0.6 else None for head in heads]
    return gold_of(model, some, [x if rng.random() < 0.7 else None for x in labels])


def other_labels(rng, model, n):
    """The label of the root stands anywhere, and some labels are new to the model."""
    heads = random_heads(rng, n)
    labels = (*LABELS, ROOT_LABEL, "new", "newer", None)
    return gold_of(model, heads, rng.choices(labels, k=n))


def no_labels(rng, model, n):
    return gold_of(model, random_heads(rng, n))


def nothing_known(rng, model, n):
    return gold_of(model, [None] * n)


def examples(seed, model, make=projective, lengths=(4, 0, 1, 7, 2, 9)):
    rng = random.Random(seed)
    batch = [random_sentence(rng, n) for n in lengths]
    return batch, [make(rng, model, n) for n in lengths]


def row(found, i):
    """The i-th decision."""
    return Decisions(*(column[i] for column in found))


def assert_is_decision(model, item, gold, decision, found):
    """
    Args:
        decision: The naive one.
    """
    c, choices, best = decision
    if not choices:
        # A transition that is forced and not scored.
        assert (found.probability, found.log_likelihood) == (1, 0)
        assert (found.correct, found.forced) == (True, True)
        assert (len(found.scores), found.correct_sets.tolist()) == (1, [True])
        return
    correct = correct_flags(model, c, gold, choices)
    scores = [option.score for option in choices]
    p = [share(model, score, scores) for score in scores]
    right = math.fsum(x for x, flag in zip(p, correct, strict=True) if flag)
    chosen = choices.index(best)
    assert found.scores.tolist() == pytest.approx(scores)
    assert found.correct_sets.tolist() == correct
    assert found.correct == correct[chosen]
    assert found.forced == (len(choices) == 1)
    assert found.probability == pytest.approx(p[chosen], rel=1e-9)
    log_likelihood = math.log(right) if right else -math.inf
    assert found.log_likelihood == pytest.approx(log_likelihood, rel=1e-9, abs=1e-12)


def assert_as_naive(model, batch, golds):
    """Every number of every decision, in order.

    Returns:
        The decisions.
    """
    found = decisions(model, iter(batch), iter(golds), keep_scores=True)
    i = 0
    for item, gold in zip(batch, golds, strict=True):
        for c, choices, best in greedy(model, item):
            assert_is_decision(model, item, gold, (c, choices, best), row(found, i))
            i += 1
    assert all(len(column) == i for column in found)
    assert [getattr(found, name).dtype for name in ARRAYS] == [
        *[float] * 2,
        *[bool] * 2,
    ]
    assert {a.dtype for a in found.scores} <= {np.dtype(np.float32)}
    assert {a.dtype for a in found.correct_sets} <= {np.dtype(bool)}
    return found


# ---- what a decision is --------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [projective, any_tree, partial, other_labels, no_labels, nothing_known]
)
@every_system
def test_decisions_and_their_probabilities(system, make):
    model = random_model(system, temperature=3.0)
    batch, golds = examples(1, model, make)
    if system.needs_full_tree and not all(gold.complete for gold in golds):
        with pytest.raises(ValueError, match="needs the head of every word"):
            decisions(model, batch, golds)
        return
    if isinstance(system, ArcStandard) and make is any_tree:
        return
    found = assert_as_naive(model, batch, golds)
    # Otherwise this would show little.
    assert make is nothing_known or 0.1 < found.correct.mean() < 1
    assert len({round(p, 3) for p in found.probability}) > 10


def test_crossing_arcs_of_arc_standard():
    """They are refused, or something is correct wherever they lead."""
    model = random_model(ArcStandard())
    try:
        found = decisions(model, *examples(1, model, any_tree), keep_scores=True)
    except ValueError:
        return
    assert all(flags.any() for flags in found.correct_sets)


@every_kind
def test_scores_are_kept_only_where_asked_for(system):
    model = random_model(system)
    batch, golds = examples(5, model)
    found = decisions(model, batch, golds)
    assert found.scores is found.correct_sets is None
    more = decisions(model, batch, golds, keep_scores=True)
    for name in ARRAYS:
        assert np.array_equal(getattr(found, name), getattr(more, name))


@pytest.mark.parametrize("keys", [[("LEFT", "a")], [("RIGHT", "a")]], ids=str)
@every_system
def test_actions_of_one_direction(system, keys):
    if system.root_label_constraint:
        return
    model = model_without_weights(system, keys)
    item = sentence("wxyz", "wxyz")
    for heads in ([0, 1, 2, 3], [2, 3, 4, 0], [2, 0, 4, 2]):
        assert_as_naive(model, [item], [gold_of(model, heads)])


def test_what_is_correct_may_have_no_action():
    """Then nothing is correct, and the likelihood is 0."""
    model = model_without_weights(ArcEager(), [("LEFT", "a")])
    found = decisions(model, [sentence("xy", "xy")], [gold_of(model, [0, 1])], True)
    # SHIFT or LEFT, where RIGHT would be correct.
    (i,) = np.flatnonzero(np.isneginf(found.log_likelihood))
    assert found.correct_sets[i].tolist() == [False, False]
    assert not found.correct[i]
    assert found.probability[i] == 1 / 2


def test_by_hand():
    """Uniform probabilities; SHIFT is the first of equals."""
    keys = [("LEFT", "a"), ("LEFT", "b"), ("RIGHT", "a"), ("RIGHT", "b")]
    model = model_without_weights(ArcEager(), keys)
    # SHIFT is forced; of SHIFT, LEFT and RIGHT only RIGHT-b is correct. Then ROOT takes
    # both words: for the second, whose head was another, with any label.
    gold = gold_of(model, [0, 1], ["a", "b"])
    found = decisions(model, [sentence("xy", "xy")], [gold], keep_scores=True)
    free = slice(-3, None)
    assert found.probability[free] == pytest.approx([1 / 5, 1 / 2, 1 / 2])
    assert found.correct.tolist()[free] == [False, True, True]
    assert np.exp(found.log_likelihood[free]) == pytest.approx([1 / 5, 1, 1 / 2])
    assert [flags.tolist() for flags in found.correct_sets[free]] == [
        [False, False, False, False, True],
        [True, True],
        [True, False],
    ]
    assert not found.forced[free].any()


def test_forced_with_a_label():
    """One legal transition is no free choice where it has one legal label."""
    one, two = (
        model_without_weights(ArcEager(), [("LEFT", label) for label in labels])
        for labels in ("a", "ab")
    )
    item = sentence("x", "x")
    for model, p in ((one, 1), (two, 1 / 2)):
        found = decisions(model, [item], [gold_of(model, [0], ["a"])])
        assert found.probability[-1] == p
        assert found.forced[-1] == (p == 1)
        assert found.correct[-1]


# ---- models without probabilities ----------------------------------------------------


@every_kind
def test_scores_of_a_perceptron(system):
    """They are followed and kept, but have no probabilities."""
    model = random_model(system, learner=AveragedPerceptron, temperature=None)
    batch, golds = examples(8, model)
    with pytest.raises(ValueError, match="no probabilities: fit a temperature first"):
        decisions(model, batch, golds)
    found = decisions(model, batch, golds, keep_scores=True)
    fitted = assert_as_naive(model.with_temperature(3.0), batch, golds)
    for name in ARRAYS[:2]:
        column = getattr(found, name)
        assert column.shape == fitted.correct.shape
        assert np.isnan(column).all()
    assert np.array_equal(found.correct, fitted.correct)
    assert np.array_equal(found.forced, fitted.forced)
    for kept, expected in (
        (found.scores, fitted.scores),
        (found.correct_sets, fitted.correct_sets),
    ):
        assert len(kept) == len(expected)
        assert all(map(np.array_equal, kept, expected))


# ---- what is refused -----------------------------------------------------------------


@pytest.mark.parametrize("keep_scores", [False, True])
def test_no_decisions(keep_scores):
    model = random_model(ArcEager())
    empty = sentence((), ())
    for n in range(3):
        found = decisions(model, [empty] * n, [gold_of(model, [])] * n, keep_scores)
        assert [len(getattr(found, name)) for name in ARRAYS] == [0] * 4
        if keep_scores:
            assert (len(found.scores), len(found.correct_sets)) == (0, 0)


@pytest.mark.parametrize(
    "inventory", [[], ["a"], ["b", "a", ROOT_LABEL], ["new", *LABELS, ROOT_LABEL]]
)
def test_labels_with_other_numbers(inventory):
    model = random_model(ArcEager())
    assert list(model.labels) == ["a", "b", ROOT_LABEL]
    item, gold = sentence("xy", "NN"), GoldTree([0, 1], inventory=Labels(inventory))
    with pytest.raises(ValueError, match="not numbered as those of the model"):
        decisions(model, [item], [gold])


def test_sentences_and_trees_that_do_not_belong_together():
    model = random_model(ArcEager())
    item, gold = sentence("xyz", "NNN"), gold_of(model, [0, 1, 2])
    decisions(model, [item], [gold])
    for wrong in (
        gold_of(model, [0, 1]),
        gold_of(model, [0, 1, 2, 3]),
        gold_of(model, []),
    ):
        with pytest.raises(ValueError, match="cannot have a gold tree over"):
            decisions(model, [item], [wrong])
    for columns in (("xyz",), ("xyz", "xyz", "xyz")):
        with pytest.raises(ValueError, match="the templates read 2 attributes"):
            decisions(model, [sentence(*columns)], [gold])
    for batch, golds in (([item], []), ([], [gold]), ([item], [gold, gold])):
        with pytest.raises(ValueError, match="zip"):
            decisions(model, batch, golds)


def test_what_is_no_example():
    model = random_model(ArcEager())
    item, gold = sentence("x", "N"), gold_of(model, [0])
    for batch, golds in (
        ([None], [gold]), ([item], [None]), (["x"], [gold]), ([item], [[0]]),
        (None, [gold]), ([item], None), (item, gold),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            decisions(model, batch, golds)
    with pytest.raises(TypeError):
        decisions(None, [item], [gold])


def test_actions_without_weights():
    model = random_model(ArcHybrid())
    model.actions.add("LEFT", "new")
    with pytest.raises(ValueError, match="weights for"):
        decisions(model, *examples(9, model))


# ---- long sentences ------------------------------------------------------------------


@pytest.mark.parametrize("system", [ArcEager(), ArcHybridSwap(), EasyFirst()], ids=repr)
def test_a_long_sentence(system):
    """After short ones, whose configurations have less room."""
    model = random_model(system)
    n = 150 if system.chooses_pair else 2000
    batch, golds = examples(10, model, lengths=(5, n))
    found = decisions(model, batch, golds, keep_scores=True)
    _, _, p = parse_with_probabilities(model, batch)
    assert np.log(found.probability).sum() == pytest.approx(p.log_words.sum())
    assert len(found.scores) == len(found.probability) >= n
