"""The mixture of both scores, and its weight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynoracle_hcsearch.mixture import GRID, Scored, best_alpha, choices, rescaled

from .ranking_builders import ints


def floats(*values):
    return np.array(values, dtype=np.float64)


def test_rescaled():
    assert rescaled(floats(-3, 1, -1)).tolist() == [0, 1, 0.5]
    assert rescaled(floats(7, 7)).tolist() == [0, 0]
    assert rescaled(floats(7)).tolist() == [0]


def test_grid():
    assert len(GRID) == 201
    assert (GRID[0], GRID[1], GRID[79], GRID[-1]) == (0, 0.005, 0.395, 1)


def test_choices():
    search, ranker = floats(3, 2, 1), floats(0, 6, 10)
    found = choices(search, ranker, floats(0, 0.3, 0.4, 0.6, 1))
    # At .4 the second one has .4 * .5 + .6 * .6 against .6 and .4.
    assert found.tolist() == [2, 2, 2, 0, 0]
    assert choices(search, floats(0, 9, 10), floats(0.4)).tolist() == [1]


def test_equals():
    """The highest score of the search decides, wherever the candidate stands."""
    assert choices(floats(1, 2, 2), floats(5, 5, 5), floats(0)).tolist() == [1]
    assert choices(floats(1, 3, 2), floats(5, 4, 5), floats(0)).tolist() == [2]
    assert choices(floats(2, 2), floats(1, 3), floats(1)).tolist() == [0]
    assert choices(floats(0, 1), floats(1, 0), floats(0.5)).tolist() == [1]


def test_best_alpha():
    """Each sentence allows a range of shares; the best one is the first common one."""
    sentences = [
        # Right above .5, and at .5, where the search decides.
        Scored(floats(2, 1), floats(0, 4), ints(0, 3)),
        # Right below .75.
        Scored(floats(4, 1, 0), floats(0, 3, 1), ints(2, 0, 9)),
    ]
    assert choices(*sentences[0][:2], floats(0.495, 0.5)).tolist() == [1, 0]
    assert best_alpha(sentences[:1]) == (0.5, 0)
    assert best_alpha(sentences[1:]) == (0.0, 0)
    assert best_alpha(sentences) == (0.5, 0)
    assert best_alpha([]) == (0.0, 0)


scores = st.lists(st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=6)


@given(st.data(), scores)
def test_the_grid_is_searched_exhaustively(data, search):
    k = len(search)
    ranker = data.draw(st.lists(st.floats(-5, 5), min_size=k, max_size=k))
    losses = data.draw(st.lists(st.integers(0, 5), min_size=k, max_size=k))
    alpha, loss = best_alpha([Scored(floats(*search), floats(*ranker), ints(*losses))])
    one_by_one = [
        losses[int(choices(floats(*search), floats(*ranker), floats(a))[0])]
        for a in GRID
    ]
    assert loss == min(one_by_one)
    assert alpha == pytest.approx(GRID[one_by_one.index(loss)])
