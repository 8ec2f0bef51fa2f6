"""What goes together, what is searched for, and what is put back: exhaustively."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from spacy_dynoracle.core.state.projectivity import find_cycle, is_projective
from spacy_dynoracle.doc.preset_arcs import (
    CROSSING,
    CYCLE,
    SECOND_ROOT,
    SegmentArcs,
    blocks,
    drop_incompatible,
    searchable,
)

up_to_4 = pytest.mark.parametrize("n", [1, 2, 3, 4])


@cache
def head_sequences(n):
    """All heads over n words, each of which may be unknown."""
    choices = [[None, *(h for h in range(n + 1) if h != d)] for d in range(1, n + 1)]
    return list(product(*choices))


@cache
def acyclic(n):
    return [heads for heads in head_sequences(n) if not find_cycle(heads)]


def contains(tree, arcs):
    return all(a is None or a == h for h, a in zip(tree, arcs, strict=True))


def arcs_of(heads):
    return SegmentArcs(list(heads), np.zeros(len(heads), np.uint64), searchable(heads))


# ---- what goes together --------------------------------------------------------------


@up_to_4
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("may_cross", [False, True])
def test_a_head_is_dropped_only_where_it_cannot_be(n, single_root, may_cross):
    wrong = {
        SECOND_ROOT: lambda kept: single_root and kept.count(0) > 1,
        CYCLE: find_cycle,
        CROSSING: lambda kept: not (may_cross or is_projective(kept)),
    }
    for heads in head_sequences(n):
        found, kept = list(heads), [None] * n
        reasons = dict(drop_incompatible(found, single_root, may_cross))
        for word, head in enumerate(heads, 1):
            kept[word - 1] = head
            # The first reason is given; a test for crossing needs a forest.
            reason = next((name for name, test in wrong.items() if test(kept)), None)
            assert reasons.get(word) == reason
            if reason is not None:
                kept[word - 1] = None
        assert found == kept


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([None], [(0, 1)]),
        ([2, 0, None], [(0, 2), (2, 3)]),
        ([3, None, None, 0, None, 5], [(0, 3), (3, 4), (4, 6)]),
        ([3, 0, 0, 2], [(0, 4)]),
    ],
)
def test_blocks(heads, expected):
    assert list(blocks(heads)) == expected


# ---- what is searched for ------------------------------------------------------------


def ancestors(heads, word):
    while (word := heads[word - 1]) not in (None, 0):
        yield word


@up_to_4
def test_what_is_searched_for_can_be_found(n):
    for heads in acyclic(n):
        found = searchable(heads)
        assert is_projective(found)
        if is_projective(heads):
            assert found == list(heads)
        for word, (before, after) in enumerate(zip(heads, found, strict=True), 1):
            assert after in (None, before) or after in ancestors(heads, word)


# ---- what is put back ----------------------------------------------------------------


@up_to_4
def test_every_arc_can_be_put_into_every_tree(n):
    """No root is added, and one remains."""
    trees = [np.array(h, np.int32) for h in acyclic(n) if None not in h]
    for heads in acyclic(n):
        arcs = arcs_of(heads)
        if not arcs.crossing:
            continue
        for tree in trees:
            if not contains(tree, arcs.searched):
                continue
            found, labels = tree.copy(), np.arange(n, dtype=np.int32)
            arcs.put_crossing_back(found, labels)
            assert not find_cycle(found.tolist())
            assert contains(found, heads)
            assert 1 <= (found == 0).sum() <= (tree == 0).sum()
            # A label of a root is not that of another word, nor the other way round.
            changed = (found == 0) != (tree == 0)
            assert (labels[changed] == -1).all()
            assert (labels[~changed] == np.flatnonzero(~changed)).all()


def test_the_nearest_arc_gives_way():
    """Word 4 is to be the head of 2, which is above it: 4 leaves 3."""
    arcs = SegmentArcs([3, 4, None, None, None], np.zeros(5, np.uint64), [None] * 5)
    arcs.heads[0] = None
    heads, labels = np.array([2, 5, 2, 3, 0], np.int32), np.arange(5, dtype=np.int32)
    arcs.put_crossing_back(heads, labels)
    assert heads.tolist() == [2, 4, 2, 5, 0]
    assert labels.tolist() == [0, 1, 2, 3, 4]


# ---- sentences that are cut ----------------------------------------------------------


@pytest.mark.parametrize(
    ("arcs", "tree", "expected"),
    [
        # The place that fewest arcs of the tree cross.
        ([0, None, None, 0], [2, 0, 4, 2], [1]),
        ([0, None, None, 0], [0, 1, 4, 1], [2]),
        ([0, None, None, 0], [0, 1, 1, 1], [3]),
        # Not where a preset arc goes.
        ([0, None, 1, 0], [2, 0, 4, 2], [3]),
        ([0, 4, None, 0], [0, 1, 1, 1], [1]),
        ([0, 4, 1, 0], [0, 1, 1, 1], []),
        ([0, 0, None, 0], [0, 4, 2, 1], [1, 3]),
        ([None, 0, None, None], [2, 0, 2, 2], []),
    ],
)
def test_cuts_between_preset_roots(arcs, tree, expected):
    found = arcs_of(arcs).cuts(0, 4, np.array(tree, np.int32))
    assert list(found) == expected
    # Nor where no sentence may start.
    for cut in expected:
        inner = np.arange(4) == cut
        assert cut not in arcs_of(arcs).cuts(0, 4, np.array(tree, np.int32), inner)
    shifted = [None, None, *(h + 2 if h else h for h in arcs)]
    moved = np.array([0, 1, *(h + 2 if h else h for h in tree)], np.int32)
    found = arcs_of(shifted).cuts(2, 6, moved)
    assert list(found) == [cut + 2 for cut in expected]
