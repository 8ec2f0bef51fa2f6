"""Child processes: the time and memory they use, and running several at a time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
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

from spacy_dynoracle.util.workers import WorkerError, in_processes

T = TypeVar("T")
# Programs find this folder, which is not installed, wherever they start.
CHECKOUT = Path(__file__).parents[1]


class RunError(Exception):
    """A child process failed. The message says where its output is."""


@dataclass(frozen=True)
class Usage:
    """The time and memory of a process. cpu_seconds and peak_mb are None where the
    system does not report them (Windows)."""

    wall_seconds: float
    cpu_seconds: float | None
    peak_mb: float | None


def execute(command: Sequence[str], log: Path) -> Usage:
    """Run a module as a program, write its output to a file, and wait for its end.

    command: name of the module and its arguments. The program ends with this process,
    however that ends.

    Raises RunError if the program fails.
    """
    start = time.perf_counter()
    child = [sys.executable, "-m", f"{__package__}.child", str(os.getpid()), *command]
    path = os.pathsep.join(filter(None, [str(CHECKOUT), os.environ.get("PYTHONPATH")]))
    with log.open("wb") as stream:
        process = subprocess.Popen(
            child,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": path},
        )
        try:
            cpu_seconds, peak_mb = _wait(process)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        raise RunError(f"{last} (exit status {process.returncode}, see {log})")
    return Usage(time.perf_counter() - start, cpu_seconds, peak_mb)


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
    what: str, items: Sequence[T], work: Callable[[T], object], jobs: int
) -> list[str]:
    """Do the work for each item, `jobs` at a time, and show a progress bar.

    work: a function that other processes can import, or a method of an object that
    they can get.

    A failure does not stop the other items. Returns the messages of the failures. An
    interruption ends the running processes.
    """
    failures = []
    here = os.getcwd()
    calls = ((here, work, item) for item in items)
    if items:
        with progress(what, len(items)) as advance:
            n_jobs = min(jobs, len(items))
            try:
                for failure in in_processes(_attempt, calls, n_jobs, ordered=False):
                    advance()
                    failures += [] if failure is None else [failure]
            except WorkerError as error:
                # The items that are not done stay missing.
                failures.append(str(error))
    return failures


def _attempt(directory: str, work: Callable[[T], object], item: T) -> str | None:
    """Do the work for an item. Returns the message of its failure, if it fails."""
    # A worker has the working directory of the time when it was started.
    os.chdir(directory)
    try:
        work(item)
    except RunError as error:
        return str(error)
    return None
