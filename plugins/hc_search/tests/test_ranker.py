"""The ranker of a finished model."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynoracle_hcsearch.ranker import SLOT, Ranker
from spacy_dynoracle.errors import ModelFileError
from tests.core.builders import sentence

from .ranking_builders import (
    CLASSES,
    COLUMNS,
    FEW,
    UNSEEN,
    candidates_of,
    scores_of,
    trained,
)


@pytest.fixture(scope="module")
def ranker():
    return trained()[0].freeze(alpha=0.25)


def test_each_tree_alone(ranker):
    """What a tree scores does not depend on the candidates beside it."""
    for sample in UNSEEN:
        found = ranker.scores(sample.sentence(), sample.candidates)
        for i, score in enumerate(found):
            one = candidates_of(
                [(sample.candidates.heads[i], sample.candidates.labels[i])]
            )
            assert ranker.scores(sample.sentence(), one).tolist() == [score]
    assert len({score for scores in scores_of(ranker) for score in scores}) > 20


def test_alpha(ranker):
    sample = UNSEEN[0]
    assert ranker.alpha == 0.25
    assert ranker.with_alpha(1).choose(sample.sentence(), sample.candidates) == 0
    best = ranker.scores(sample.sentence(), sample.candidates).argmax()
    assert best == ranker.with_alpha(0).choose(sample.sentence(), sample.candidates)
    for alpha in (-0.1, 1.1, float("nan"), None, "0.5", True):
        with pytest.raises(ValueError, match="expected a number from 0 to 1"):
            ranker.with_alpha(alpha)


def test_few_candidates(ranker):
    one = candidates_of([([0, 1], [0, 0])])
    words = sentence(["x", "y"], ["N", "V"])
    assert ranker.choose(words, one) == 0
    none = candidates_of([], n=2)
    assert ranker.scores(words, none).shape == (0,)
    with pytest.raises(ValueError, match="there is no candidate"):
        ranker.choose(words, none)
    empty = candidates_of([([], [])])
    assert ranker.choose(sentence([], []), empty) == 0


@pytest.mark.parametrize("name", ["heads", "labels"])
def test_shapes(ranker, name):
    sample = UNSEEN[0]
    array = getattr(sample.candidates, name)
    for wrong in (array[:, :-1], array[:-1], array.astype(np.int64), array[0]):
        found = sample.candidates._replace(**{name: wrong})
        with pytest.raises(ValueError, match=f"the {name} of "):
            ranker.scores(sample.sentence(), found)
    with pytest.raises(ValueError, match="the ranker reads 2 attributes"):
        ranker.scores(sentence(["x"], ["x"], ["x"]), sample.candidates)


def test_any_layout(ranker):
    """Rows need not follow one another in memory."""
    sample = UNSEEN[0]
    found = sample.candidates
    other = found._replace(
        heads=np.asfortranarray(found.heads), labels=np.asfortranarray(found.labels)
    )
    assert (
        ranker.scores(sample.sentence(), other).tolist()
        == ranker.scores(sample.sentence(), found).tolist()
    )


def test_candidates_that_are_no_trees(ranker):
    found = candidates_of([([0, 1], [0, 0]), ([2, 1], [0, 0])])
    with pytest.raises(ValueError, match="candidate 1: its arcs form a cycle"):
        ranker.scores(sentence(["x", "y"], ["N", "V"]), found)


def test_pickle(ranker):
    again = pickle.loads(pickle.dumps(ranker))
    assert scores_of(again) == scores_of(ranker)
    assert (again.alpha, again.columns, again.classes, again.templates) == (
        ranker.alpha, ranker.columns, ranker.classes, ranker.templates
    )  # fmt: skip


def test_threads(ranker):
    expected, found = scores_of(ranker), []
    threads = [
        threading.Thread(target=lambda: found.append(scores_of(ranker)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def table(*weights):
    slots = np.zeros(len(weights), dtype=SLOT)
    slots["weight"] = weights
    return slots.view(np.uint8)


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        (table()[:0], "no empty place"),
        (table(1.0, 2.0), "no empty place"),
        (table(1.0, 0.0)[:-1], "wrong size"),
        (table(1.0, 0.0)[:4], "wrong size"),
        (table(1.0, np.nan, 0.0), "not finite"),
        (table(1.0, np.inf, 0.0), "not finite"),
        (np.zeros((2, 8), dtype=np.uint8), "wrong size"),
        (np.zeros(17, dtype=np.uint8)[1:], "begins 1 bytes behind a multiple of 8"),
    ],
)
def test_tables_that_cannot_be(slots, message):
    with pytest.raises(ModelFileError, match=message):
        Ranker(FEW, COLUMNS, CLASSES, slots)


@given(st.lists(st.sampled_from([0.0, 0.0, -0.0, 1.5, -2.0]), min_size=1, max_size=9))
def test_any_table_is_safe(weights):
    """Keys may be anywhere: all places are looked at, and none outside of them."""
    slots = table(*weights)
    if all(weights):
        return
    assert Ranker(FEW, COLUMNS, CLASSES, slots).n_features == sum(map(bool, weights))
    assert len(scores_of(Ranker(FEW, COLUMNS, CLASSES, slots))) == len(UNSEEN)
