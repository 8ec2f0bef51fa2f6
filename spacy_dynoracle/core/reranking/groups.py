"""Ranking groups: which candidates of a sentence are to score above which others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

GROUPS = ("fine", "coarse")


def ranking_pairs(losses: npt.ArrayLike, groups: str) -> list[int]:
    """The pairs of groups that the candidates of a sentence give.

    losses: of the candidates. groups: "fine" has a pair for every distinct loss but the
    largest, "coarse" one for the smallest.

    Returns one loss for each pair: the better group are the candidates with this loss,
    the worse one all those with a larger loss. None if all losses are equal.

    Raises ValueError for other groups. Source: Liu et al. 2015, section 3.3.
    """
    if groups not in GROUPS:
        raise ValueError(f"ranking groups {groups!r}: expected one of {GROUPS}")
    better: list[int] = np.unique(np.asarray(losses))[:-1].tolist()
    return better if groups == "fine" else better[:1]
