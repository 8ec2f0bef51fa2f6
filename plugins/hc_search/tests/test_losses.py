"""Losses, and where errors come from."""

import numpy as np
import pytest

from dynoracle_hcsearch.losses import (
    Decomposition,
    GoldHeads,
    decompose,
    losses,
)
from tests.core.builders import candidates_of


def ints(*values):
    return np.array(values, dtype=np.int32)


FOUND = candidates_of(
    [
        ([2, 0, 2, 3], [0, 1, 2, 0]),
        ([2, 0, 4, 2], [0, 1, 2, 0]),
        ([0, 1, 1, 3], [0, 1, 2, 1]),
    ]
)


def test_heads():
    found = losses(FOUND, GoldHeads(ints(2, 0, 2, 2)))
    assert found.tolist() == [1, 1, 4]
    assert found.dtype == np.int32


def test_heads_and_labels():
    gold = GoldHeads(ints(2, 0, 2, 3), ints(0, 1, 1, 0))
    assert losses(FOUND, gold).tolist() == [1, 2, 4]
    # What is not known does not count: neither a label nor a head.
    assert losses(FOUND, gold._replace(labels=ints(0, 1, -1, 0))).tolist() == [0, 2, 4]
    assert losses(FOUND, gold._replace(heads=ints(2, 0, -1, 3))).tolist() == [0, 1, 3]


def test_words_that_do_not_count():
    gold = GoldHeads(ints(2, 0, 2, 2), None, np.array([True, True, False, False]))
    assert losses(FOUND, gold).tolist() == [0, 0, 2]
    assert gold.counts().tolist() == [True, True, False, False]


def test_other_lengths():
    with pytest.raises(ValueError, match="heads of 3 gold words for candidates of 4"):
        losses(FOUND, GoldHeads(ints(0, 1, 1)))
    with pytest.raises(ValueError, match="is_scored of 2 gold words"):
        losses(FOUND, GoldHeads(ints(2, 0, 2, 2), None, np.array([True, True])))


def test_decomposition():
    """Of 4 + 2 words, 1 + 0 are lost by the search, 3 + 1 by the choice."""
    other = candidates_of([([0, 1], [0, 0]), ([2, 0], [0, 0]), ([0, 0], [0, 0])])
    golds = [GoldHeads(ints(2, 0, 2, 2)), GoldHeads(ints(0, 1))]
    found = decompose([FOUND, other], golds, [2, 2])
    unit = 100 / 6
    assert found.n_words == 6
    assert found.generation == pytest.approx(unit)
    assert found.selection == pytest.approx(4 * unit)
    assert found.total == pytest.approx(5 * unit)
    # The third candidate is 3 words from the first and 4 from the second one, which
    # are equally good; in the other sentence it is 1 from the only good one.
    assert found.mean_distance == pytest.approx((3.5 + 1) * unit)
    # It does not add up with the generation loss, unlike the selection loss.
    assert found.generation + found.mean_distance != pytest.approx(found.total)


def test_the_best_choice_can_be_distant():
    """By the paper's reported measure even a best candidate loses."""
    found = decompose([FOUND], [GoldHeads(ints(2, 0, 2, 2))], [0])
    assert (found.selection, found.total) == (0, 25)
    assert found.mean_distance == 25


def test_decomposition_of_labels():
    gold = GoldHeads(ints(2, 0, 2, 3), ints(0, 1, -1, 0))
    found = decompose([FOUND], [gold], [1])
    assert found == Decomposition(4, 0, 50, 50, 50)
    gold = gold._replace(labels=ints(0, 0, -1, 0))
    assert decompose([FOUND], [gold], [0]) == Decomposition(4, 25, 0, 0, 25)


def test_nothing_to_count():
    assert decompose([], [], []) == Decomposition(0, 0, 0, 0, 0)
    unknown = GoldHeads(ints(-1, -1, -1, -1))
    assert decompose([FOUND], [unknown], [1]) == Decomposition(0, 0, 0, 0, 0)


def test_no_candidate():
    with pytest.raises(ValueError, match="sentence 0 has no candidate"):
        decompose([candidates_of([], n=2)], [GoldHeads(ints(0, 1))], [0])
