"""Cutting data into folds, and working on the folds in several processes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, starmap
from typing import Any, TypeVar

import numpy as np

from .workers import in_processes

Result = TypeVar("Result")

# The run that this process works for, and its task.
_task: tuple[str, Callable[[int], Any]] | None = None


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


def fold_results(
    make_task: Callable[..., Callable[[int], Result]],
    arguments: tuple[Any, ...],
    folds: Sequence[int],
    n_jobs: int,
) -> Iterator[Result]:
    """The results of a task for some folds, in the order of the folds.

    When the caller stops early or a task fails, folds that have not begun are dropped.
    The processes end with this one, however it ends.

    Args:
        make_task: Makes the task from the arguments, once in each process. The task
            gets the number of a fold.
        n_jobs: Number of processes; with 1 the work is done here.

    Raises:
        WorkerError: If a worker is killed.
    """
    n_jobs = min(n_jobs, len(folds))
    if n_jobs <= 1:
        if folds:
            yield from map(make_task(*arguments), folds)
        return
    run = secrets.token_hex(8)
    calls = ((run, make_task, arguments, fold) for fold in folds)
    yield from in_processes(_result, calls, n_jobs)


def _result(
    run: str,
    make_task: Callable[..., Callable[[int], Result]],
    arguments: tuple[Any, ...],
    fold: int,
) -> Result:
    """The result of a fold.

    Workers serve one run after the other, so the task is made at the first fold of each
    run.
    """
    global _task
    if _task is None or _task[0] != run:
        _task = None
        _task = run, make_task(*arguments)
    result: Result = _task[1](fold)
    return result
