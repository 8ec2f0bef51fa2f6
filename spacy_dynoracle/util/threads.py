"""Sharing a batch among threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")


def in_chunks(
    function: Callable[[list[T]], R],
    items: list[T],
    n_threads: int,
    size: Callable[[T], int],
) -> list[R]:
    """What a function makes of chunks of a list, one for each thread, in their order.
    The calling thread is one of these, and takes the first chunk.

    function: must release the GIL to gain anything. With one thread, or one item, it is
    called once and no thread is started. size: of an item; chunks are about equal.
    """
    if n_threads == 1 or len(items) <= 1:
        return [function(items)]
    parts = equal_parts(list(map(size, items)), n_threads)
    if len(parts) == 1:
        return [function(items)]
    first, *others = (items[part] for part in parts)
    with ThreadPoolExecutor(len(others)) as pool:
        # The calling thread works too, since a thread takes time to start.
        waiting = [pool.submit(function, part) for part in others]
        return [function(first), *(found.result() for found in waiting)]


def equal_parts(sizes: Sequence[int], n_parts: int) -> list[slice]:
    """Cut items into so many parts, or fewer, of about the same size in sum."""
    n_parts = min(n_parts, len(sizes))
    ends = np.cumsum(sizes)
    wanted = ends[-1] * np.arange(1, n_parts) / n_parts
    # The item across a cut goes to the part that has more of it.
    middles = ends - np.asarray(sizes) / 2
    cuts = np.unique(np.searchsorted(middles, wanted))
    cuts = cuts[(cuts > 0) & (cuts < len(sizes))]
    return [slice(*part) for part in pairwise([0, *cuts.tolist(), len(sizes)])]
