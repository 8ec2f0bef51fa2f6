"""Checks of arc weights. The decoders find the tree with the largest weight.

The weight of a tree is the sum of the weights of its arcs. The weights are a square
matrix over the nodes 0..n, where node 0 is ROOT. Entry [h, d] is the weight of the arc
from head h to dependent d; minus infinity excludes the arc. The diagonal and the column
of ROOT are not read. If the weights are head marginals (not their logarithms), the
result is the tree with the largest expected number of correct heads.

If several trees have the largest weight, the choice among them depends only on the
weights. The sums use 64-bit floats. They are exact for integer weights, such as counts.
For other weights, rounding can prefer one of several trees of equal weight.
"""

import numpy as np
import numpy.typing as npt

# Below this bound the sum over a tree of any length is finite.
LARGEST = 1e290


def as_weights(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The weights as a contiguous matrix.

    Raises:
        ValueError: For another shape, and for weights that are neither finite nor minus
            infinity or are larger than 1e290.
    """
    matrix = np.ascontiguousarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(
            f"weights of shape {np.shape(weights)}: expected (n + 1, n + 1) for n words"
        )
    # The negation makes NaN fail the check too.
    refused = ~((np.abs(matrix) <= LARGEST) | (matrix == -np.inf))
    refused[:, 0] = False
    np.fill_diagonal(refused, False)
    if refused.any():
        head, dependent = np.argwhere(refused)[0]
        raise ValueError(
            f"the arc from {head} to {dependent} weighs {matrix[head, dependent]}: "
            f"expected a finite number (at most {LARGEST:g} in size) or minus infinity"
        )
    return matrix


def no_tree(kind: str, single_root: bool) -> ValueError:
    """The error for weights that exclude every tree."""
    root = " with a single root" if single_root else ""
    return ValueError(f"the arcs that are possible form no {kind}{root}")
