"""Trees of largest weight, projective or not, with all small trees as reference."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from spacy_dynoracle.core.graph.eisner import projective_tree
from spacy_dynoracle.core.graph.spanning import spanning_tree

from ..builders import all_trees, is_projective_tree, is_tree, projective_heads
from ..builders import heads as any_heads

NO = -np.inf

both = pytest.mark.parametrize("decode", [projective_tree, spanning_tree])


def weight(weights, heads):
    """The weight of a tree, or of each of several."""
    return weights[heads, np.arange(1, len(weights))].sum(axis=-1)


def random_weights(kind, n, rng):
    shape = (n + 1, n + 1)
    if kind == "real":
        return rng.normal(size=shape)
    if kind == "tied":
        return rng.integers(-1, 2, shape).astype(float)
    return np.where(rng.random(shape) < 0.5, NO, rng.integers(-2, 3, shape))


# ---- against all trees ---------------------------------------------------------------


def test_numbers_of_reference_trees():
    """n = 5: Cayley's formula; projective trees are A006013, single-rooted ones A001764
    of the On-Line Encyclopedia of Integer Sequences.
    """
    kinds = product((False, True), repeat=2)
    assert {
        (projective, one): len(all_trees(5, projective=projective, single_root=one))
        for projective, one in kinds
    } == {
        (False, False): 1296,
        (False, True): 625,
        (True, False): 273,
        (True, True): 143,
    }


@both
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("kind", ["real", "tied", "sparse"])
@pytest.mark.parametrize("n", range(6))
def test_no_tree_weighs_more(decode, n, kind, single_root):
    rng = np.random.default_rng(n)
    projective = decode is projective_tree
    found = all_trees(n, projective=projective, single_root=single_root)
    candidates = np.array(found, dtype=int).reshape(len(found), n)
    n_impossible = 0
    for _ in range(60):
        weights = random_weights(kind, n, rng)
        largest = weight(weights, candidates).max()
        if largest == NO:
            n_impossible += 1
            with pytest.raises(ValueError, match="form no"):
                decode(weights, single_root=single_root)
            continue
        found = decode(weights, single_root=single_root)
        assert (candidates == found).all(axis=1).any()
        assert weight(weights, found) == pytest.approx(largest, abs=1e-12)
    if kind == "sparse" and n > 1:
        assert 0 < n_impossible < 60


# ---- properties ----------------------------------------------------------------------


@st.composite
def weights_with_tree(draw, tree):
    heads = draw(tree)
    shape = (len(heads) + 1, len(heads) + 1)
    elements = st.floats(-1e6, 1e6) | st.integers(-1, 1).map(float)
    return draw(arrays.arrays(np.float64, shape, elements=elements)), heads


def check(found, weights, heads):
    assert found.dtype == np.int32
    assert is_tree(found.tolist())
    slack = 1e-9 * np.abs(weights).sum()
    assert weight(weights, found) >= weight(weights, list(heads)) - slack


@pytest.mark.heavy
@given(weights_with_tree(projective_heads(max_words=12)))
def test_projective_tree(case):
    weights, heads = case
    found = projective_tree(weights)
    assert is_projective_tree(found.tolist())
    check(found, weights, heads)


@given(weights_with_tree(any_heads(max_words=12)))
def test_spanning_tree(case):
    weights, heads = case
    check(spanning_tree(weights), weights, heads)


@pytest.mark.heavy
@both
@given(weights_with_tree(any_heads(max_words=12, min_words=1)))
def test_a_single_root_costs_weight_at_most(decode, case):
    weights, _ = case
    found = decode(weights, single_root=True)
    assert np.count_nonzero(found == 0) == 1
    check(decode(weights), weights, found)


@pytest.mark.heavy
@both
@given(weights_with_tree(projective_heads(max_words=12)), st.booleans())
def test_the_only_possible_tree(decode, case, single_root):
    weights, heads = case
    mask = np.full(weights.shape, NO)
    mask[list(heads), np.arange(1, len(weights))] = 0
    single_root = single_root and heads.count(0) == 1
    assert tuple(decode(weights + mask, single_root=single_root)) == heads


# ---- examples ------------------------------------------------------------------------


@both
def test_equal_trees_give_the_same_one(decode):
    weights = np.zeros((6, 6))
    found = decode(weights).tolist()
    assert all(decode(weights.copy()).tolist() == found for _ in range(5))
    assert decode(np.asfortranarray(weights)).tolist() == found


@both
def test_diagonal_and_column_of_root_are_not_read(decode):
    weights = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]], dtype=float)
    unread = weights.copy()
    unread[:, 0] = np.nan
    np.fill_diagonal(unread, np.inf)
    unread.flags.writeable = False
    assert decode(unread).tolist() == decode(weights).tolist()


@both
def test_a_long_chain(decode):
    n = 1500
    weights = np.full((n + 1, n + 1), NO)
    weights[np.arange(2, n + 1), np.arange(1, n)] = 1
    weights[0, n] = 1
    assert decode(weights, single_root=True).tolist() == [*range(2, n + 1), 0]


# ---- no tree -------------------------------------------------------------------------


@both
def test_no_possible_tree(decode):
    weights = np.zeros((4, 4))
    weights[:, 2] = NO
    with pytest.raises(ValueError, match=r"form no (projective )?tree$"):
        decode(weights)


@both
def test_no_possible_tree_with_a_single_root(decode):
    weights = np.full((3, 3), NO)
    weights[0] = 1
    assert decode(weights).tolist() == [0, 0]
    with pytest.raises(ValueError, match="with a single root"):
        decode(weights, single_root=True)
