"""Work in several processes, by joblib.

joblib starts the processes on this machine. `joblib.parallel_config` takes the same
work to Dask, Ray or Spark. Workers on this machine end with the process that started
them.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from .code import import_code, imported

Result = TypeVar("Result")

# How often a worker looks whether its parent lives, where it cannot wait for the end.
SECONDS = 1.0
# Calls for each process that are made at once, if results come all at once.
WAVE = 4

_watched = threading.Lock()


class WorkerError(ValueError):
    """A worker process ended before it had done its work."""


def in_processes(
    function: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
    n_jobs: int,
    *,
    ordered: bool = True,
) -> Generator[Result, None, None]:
    """Yield the results of a function for each tuple of arguments.

    When the caller stops early or a call fails, calls that have not begun are dropped.
    The workers stay for the next call, and end with this process, however it ends.

    Args:
        function: One that workers can import.
        arguments: Read as workers need them, so they may be many.
        n_jobs: Number of processes; with 1 the work is done in this one.
        ordered: Whether results come in the order of the arguments, rather than as they
            are done.

    Raises:
        WorkerError: If a worker is killed.
    """
    if n_jobs == 1:
        for values in arguments:
            yield function(*values)
        return
    # The import takes long, and most callers have one process.
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError
    from joblib.parallel import LokyBackend, get_active_backend

    parent = os.getpid()
    call = delayed(_call)
    backend = get_active_backend()[0]
    # Arguments and results are no large arrays.
    settings: dict[str, Any] = {
        "n_jobs": n_jobs,
        "batch_size": 1,
        "pre_dispatch": 2 * n_jobs,
        "max_nbytes": None,
    }
    if isinstance(backend, LokyBackend):
        # A worker that has no call yet when this process is killed would wait for one.
        settings |= {"initializer": end_with, "initargs": (parent,)}
    failed: list[Exception] = []

    def calls() -> Iterator[Any]:
        # A thread of joblib reads them, in which an error would be lost.
        try:
            for values in arguments:
                yield call(parent, tuple(imported), function, values)
        except Exception as error:
            failed.append(error)

    if backend.supports_return_generator:
        order = "generator" if ordered else "generator_unordered"
        results = Parallel(return_as=order, **settings)(calls())
    else:
        results = _in_waves(Parallel(**settings), calls(), WAVE * n_jobs)
    try:
        yield from results
        if failed:
            raise failed[0]
    except TerminatedWorkerError as error:
        raise WorkerError(
            "a worker process was killed; the system does that when memory is short, "
            "so use fewer --jobs or smaller batches"
        ) from error
    finally:
        results.close()


def _in_waves(parallel: Any, calls: Iterator[Any], size: int) -> Iterator[Any]:
    """Yield results in the order of the calls, from a backend of joblib that can only
    return all at once, such as that of Ray.

    Args:
        size: Calls that are made at once.
    """
    with parallel:
        while wave := list(islice(calls, size)):
            yield from parallel(wave)


def n_cores() -> int:
    """The number of cores that this process may use."""
    # The import takes long.
    from joblib import cpu_count

    return max(1, int(cpu_count()))


def _call(
    parent: int,
    code: tuple[str, ...],
    function: Callable[..., Result],
    arguments: tuple[Any, ...],
) -> Result:
    # Where joblib uses a cluster, its workers are not children of this process.
    if os.name != "posix" or os.getppid() == parent:
        end_with(parent)
    import_code(code)
    return function(*arguments)


def end_with(parent: int) -> None:
    """Let this process end when its parent does.

    A parent that is killed cannot tell its workers to stop, so a thread of the worker
    waits for the end of the parent. Call the function at the start of a worker, or of
    each of its tasks: only the first call starts the thread.

    Args:
        parent: The process id of the parent, as the parent itself knows it.
    """
    # The lock is never released: one thread is enough.
    if parent != os.getpid() and _watched.acquire(blocking=False):
        threading.Thread(
            target=_end_after, args=(parent,), name="end with parent", daemon=True
        ).start()


def _end_after(parent: int) -> None:
    """Wait for the end of the parent, then end this process at once."""
    process = multiprocessing.parent_process()
    # The workers of joblib know the number of their parent, and cannot wait for it.
    waits = process is not None and getattr(process, "_sentinel", None) is not None
    if process is not None and process.pid == parent and waits:
        process.join()
    elif os.name == "posix":
        # A process whose parent has ended gets another parent.
        while os.getppid() == parent:
            time.sleep(SECONDS)
    else:
        return
    os._exit(1)
