"""Ranking groups: pairs of groups of candidates, where one must outscore the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

GROUPS = ("fine", "coarse")


def ranking_pairs(losses: npt.ArrayLike, groups: str) -> list[int]:
    """Divide the candidates of a sentence into pairs of a better and a worse group.

    losses: loss of each candidate. groups: "fine" makes a pair for every distinct loss
    except the largest; "coarse" makes one pair, for the smallest loss.

    Returns one loss for each pair. The better group has the candidates with this loss,
    and the worse group has all candidates with a larger loss. The list is empty if all
    losses are equal.

    Raises ValueError for other values of `groups`. Source: Liu et al. 2015, section
    3.3.
    """
    if groups not in GROUPS:
        raise ValueError(f"ranking groups {groups!r}: expected one of {GROUPS}")
    better: list[int] = np.unique(np.asarray(losses))[:-1].tolist()
    return better if groups == "fine" else better[:1]
