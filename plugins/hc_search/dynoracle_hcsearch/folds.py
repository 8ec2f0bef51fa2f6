"""Work on folds in several processes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from spacy_dynoracle.util.workers import in_processes

Result = TypeVar("Result")

# The run that this process works for, and its task.
_task: tuple[str, Callable[[int], Any]] | None = None


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
