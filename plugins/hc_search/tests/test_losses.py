"""Losses of candidates."""

import numpy as np
import pytest

from dynoracle_hcsearch.losses import GoldHeads, losses
from tests.core.builders import candidates_of

from .ranking_builders import ints

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
