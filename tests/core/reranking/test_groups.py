"""Ranking groups."""

import pytest

from spacy_dynoracle.core.reranking.groups import ranking_pairs


def test_fine_and_coarse():
    losses = [2, 0, 3, 3, 0]
    assert ranking_pairs(losses, "fine") == [0, 2]
    assert ranking_pairs(losses, "coarse") == [0]


def test_the_best_candidate_need_not_be_right():
    assert ranking_pairs([4, 9, 7], "fine") == [4, 7]
    assert ranking_pairs([4, 9, 7], "coarse") == [4]


@pytest.mark.parametrize("losses", [[], [5], [1, 1, 1]])
@pytest.mark.parametrize("groups", ["fine", "coarse"])
def test_no_pairs(losses, groups):
    assert ranking_pairs(losses, groups) == []


def test_unknown_groups():
    with pytest.raises(ValueError, match="ranking groups 'gold': expected one of"):
        ranking_pairs([0, 1], "gold")
