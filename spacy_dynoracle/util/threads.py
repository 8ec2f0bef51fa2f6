"""Sharing a batch among threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .folds import cut_into_folds

T = TypeVar("T")
R = TypeVar("R")


def in_chunks(
    function: Callable[[list[T]], R],
    items: list[T],
    n_threads: int,
    size: Callable[[T], int],
) -> list[R]:
    """Call a function in threads, each with a chunk of a list.

    The calling thread is one of these, and takes the first chunk.

    Args:
        function: Must release the GIL to gain anything. With one thread, or one item,
            it is called once and no thread is started.
        size: Of an item; chunks are about equal.

    Returns:
        The results of the function, in the order of the chunks.
    """
    if n_threads == 1 or len(items) <= 1:
        return [function(items)]
    folds = cut_into_folds(list(map(size, items)), min(n_threads, len(items)))
    first, *others = (items[fold.start : fold.stop] for fold in folds)
    with ThreadPoolExecutor(len(others)) as pool:
        # The calling thread works too, since a thread takes time to start.
        waiting = [pool.submit(function, part) for part in others]
        return [function(first), *(found.result() for found in waiting)]
