"""Cutting data into folds."""

from collections.abc import Sequence
from itertools import pairwise, starmap

import numpy as np


def check_n_folds(n_folds: int, n_docs: int) -> None:
    """Raise ValueError unless documents can be cut into so many folds."""
    if not 2 <= n_folds <= n_docs:
        raise ValueError(
            f"{n_folds} folds of {n_docs} documents: expected at least 2, and at "
            f"least one document in each"
        )


def cut_into_folds(lengths: Sequence[int], n_folds: int) -> list[range]:
    """Neighbouring items in folds of about the same length, none of them empty.

    Args:
        lengths: Of the items, such as the words of documents.
        n_folds: At most as many as there are items.
    """
    ends = np.cumsum(lengths)
    goals = np.arange(1, n_folds) * (ends[-1] / n_folds)
    cuts = np.searchsorted(ends, goals, side="left") + 1
    for i in range(len(cuts)):
        # Each fold has an item, and leaves one for each of the folds after it.
        least = (cuts[i - 1] if i else 0) + 1
        cuts[i] = min(max(cuts[i], least), len(lengths) - (n_folds - 1 - i))
    bounds = [0, *cuts.tolist(), len(lengths)]
    return list(starmap(range, pairwise(bounds)))
