"""Child processes: the time and memory they use, and running several at a time."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

T = TypeVar("T")


class RunError(Exception):
    """A child process failed. The message says where its output is."""


@dataclass(frozen=True)
class Usage:
    """The time and memory of a process. cpu_seconds and peak_mb are None where the
    system does not report them (Windows)."""

    wall_seconds: float
    cpu_seconds: float | None
    peak_mb: float | None


class Processes:
    """Keeps a list of running child processes, so that none outlives an
    interruption."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def execute(self, command: Sequence[str], log: Path) -> Usage:
        """Run a command, write its output to a file, and wait for its end.

        Raises RunError if the command fails.
        """
        start = time.perf_counter()
        with log.open("wb") as stream:
            with self._lock:
                if self._closed:
                    raise RunError("interrupted")
                process = subprocess.Popen(
                    command, stdout=stream, stderr=subprocess.STDOUT
                )
                self._running.add(process)
            try:
                cpu_seconds, peak_mb = _wait(process)
            finally:
                with self._lock:
                    self._running.discard(process)
        if process.returncode:
            lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "")
            raise RunError(f"{last} (exit status {process.returncode}, see {log})")
        return Usage(time.perf_counter() - start, cpu_seconds, peak_mb)

    def terminate(self) -> None:
        """End all running processes, and do not start another one."""
        with self._lock:
            self._closed = True
            for process in self._running:
                process.terminate()


def _wait(process: subprocess.Popen[bytes]) -> tuple[float | None, float | None]:
    """Wait for a process. Returns its CPU seconds and its peak memory in MB."""
    if not hasattr(os, "wait4"):
        process.wait()
        return None, None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # The unit is kilobytes on Linux and bytes on macOS.
    unit = 1024 if os.uname().sysname == "Linux" else 1024 * 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on stderr. Yields a function that advances it by one."""
    columns = (
        "{task.description}",
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        "left",
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def work_through(
    what: str,
    items: Sequence[T],
    work: Callable[[Processes, T], None],
    jobs: int,
) -> list[str]:
    """Do the work for each item, `jobs` at a time, and show a progress bar.

    A failure does not stop the other items. Returns the messages of the failures. An
    interruption ends the running processes.
    """
    if not items:
        return []
    processes = Processes()
    failures = []
    with progress(what, len(items)) as advance, ThreadPoolExecutor(jobs) as pool:
        futures: set[Future[None]] = {
            pool.submit(work, processes, item) for item in items
        }
        try:
            while futures:
                done, futures = wait(futures, timeout=1, return_when=FIRST_COMPLETED)
                for future in done:
                    advance()
                    error = future.exception()
                    if isinstance(error, RunError):
                        failures.append(str(error))
                    elif error is not None:
                        raise error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            processes.terminate()
            raise
    return failures
