"""Weights of arcs, from which the decoders choose the tree of largest weight.

The weight of a tree is the sum over its arcs. Weights are a square matrix over the
nodes 0..n, 0 being ROOT: entry [h, d] weighs the arc from head h to dependent d, and
minus infinity excludes it. The diagonal and the column of ROOT are not read. With head
marginals as weights (not their logarithms) the result is the tree with the largest
expected number of right heads.

Where several trees have the largest weight, the weights alone decide which of them is
found. Sums are those of 64-bit floats: they are exact for weights that are integers,
such as counts; otherwise rounding can prefer one of several trees that weigh the same.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Sums over a tree of any length stay finite below it.
LARGEST = 1e290


def as_weights(weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The weights as a contiguous matrix.

    Raises ValueError for another shape, and for weights that are neither finite nor
    minus infinity or are larger than 1e290.
    """
    matrix = np.ascontiguousarray(weights, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise ValueError(
            f"weights of shape {np.shape(weights)}: expected (n + 1, n + 1) for n words"
        )
    # Written so that NaN is among them.
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
