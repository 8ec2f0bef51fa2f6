"""Sharing a batch among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_chunks(
    function: Callable[[list[T]], R], items: list[T], n_threads: int
) -> list[R]:
    """What a function makes of chunks of a list, one for each thread, in their order.

    function: must release the GIL to gain anything. With one thread, or one item, it is
    called once and no thread is started.
    """
    n_chunks = min(n_threads, len(items))
    if n_chunks <= 1:
        return [function(items)]
    size = -(-len(items) // n_chunks)
    chunks = [items[i : i + size] for i in range(0, len(items), size)]
    with ThreadPoolExecutor(n_chunks) as pool:
        return list(pool.map(function, chunks))
