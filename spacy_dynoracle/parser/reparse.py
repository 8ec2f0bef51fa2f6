"""The places at which trees may be separated.

The parser parses a part of a segment again if its trees cross, or if they meet where no
sentence may start. Such a part begins and ends at these places.
"""

import numpy as np

from ..util.arrays import Int32Array, IntArray


def roots(heads: Int32Array) -> IntArray:
    """For each word (from 0) the root of its tree."""
    words = np.arange(len(heads))
    root = np.where(heads > 0, heads - 1, words)
    # Every round doubles how far a word sees up its tree.
    while not np.array_equal(root[root], root):
        root = root[root]
    return root


def places_between_trees(root: IntArray) -> IntArray:
    """The words at which a tree may be cut off from those before it: no tree spans the
    place.

    Args:
        root: As `roots` gives it.
    """
    words = np.arange(len(root))
    last = np.zeros(len(root), dtype=np.int64)
    np.maximum.at(last, root, words)
    ends = np.flatnonzero(np.maximum.accumulate(last[root]) == words)
    return np.concatenate(([0], ends[:-1] + 1))
