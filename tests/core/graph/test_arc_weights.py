"""What the decoders accept as weights."""

import numpy as np
import pytest

from spacy_dynoracle.core.graph.arc_weights import LARGEST, as_weights
from spacy_dynoracle.core.graph.eisner import projective_tree
from spacy_dynoracle.core.graph.spanning import spanning_tree

both = pytest.mark.parametrize("decode", [projective_tree, spanning_tree])


@both
@pytest.mark.parametrize("shape", [(0, 0), (2, 3), (4,), (), (2, 2, 2)])
def test_wrong_shape(decode, shape):
    with pytest.raises(ValueError, match=r"expected \(n \+ 1, n \+ 1\)"):
        decode(np.zeros(shape))


@both
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -1e300])
def test_weights_that_are_no_numbers(decode, value):
    weights = np.zeros((3, 3))
    weights[2, 1] = value
    with pytest.raises(ValueError, match="the arc from 2 to 1 weighs"):
        decode(weights)


@pytest.mark.parametrize("value", [LARGEST, -LARGEST, -np.inf, 0])
def test_limits(value):
    weights = np.zeros((3, 3))
    weights[2, 1] = value
    assert as_weights(weights) is weights
    assert spanning_tree(weights).tolist() == ([2, 0] if value > 0 else [0, 0])


def test_the_first_arc_that_is_refused_is_named():
    """Row by row, without the diagonal and the column of ROOT."""
    weights = np.full((4, 4), np.nan)
    weights[0] = 1
    with pytest.raises(ValueError, match="the arc from 1 to 2 weighs nan"):
        as_weights(weights)


def test_other_types():
    weights = as_weights([[0, 5], [0, 0]])
    assert (weights.dtype, weights.shape) == (np.float64, (2, 2))
    integers = as_weights(np.asfortranarray([[0, 5], [7, 0]]))
    assert integers.flags.c_contiguous
    assert integers.tolist() == [[0, 5], [7, 0]]
