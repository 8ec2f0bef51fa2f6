"""Runs the cases of a surface in containers and counts what they find."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..programs import ROOT
from .container import GROWN
from .surface import Limits, surface

OUTCOMES = ("crash", "hang", "memory", "traceback", "wrong")
# Starting a container and reading what the cases need.
START_SECONDS = 300.0


@dataclass(frozen=True)
class Finding:
    """A case that ended as it should not.

    Attributes:
        outcome: One of OUTCOMES.
    """

    name: str
    seed: int
    number: int
    outcome: str
    message: str

    def __str__(self) -> str:
        command = f"python -m tests.fuzz {self.name} --seed {self.seed} --only"
        return f"{self.outcome}: {command} {self.number}\n{self.message.rstrip()}"


@dataclass
class Report:
    """What a round on a surface has found."""

    name: str
    unit: str
    n_cases: int = 0
    n_tried: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        counts = Counter(finding.outcome for finding in self.findings)
        tried = f"{self.n_tried:,} {self.unit}"
        if self.n_cases != self.n_tried:
            tried += f" in {self.n_cases:,} cases"
        names = {
            "crash": "crashes",
            "hang": "hangs",
            "memory": "over memory",
            "traceback": "raw tracebacks",
            "wrong": "wrong results",
        }
        found = ", ".join(f"{counts[o]} {names[o]}" for o in OUTCOMES)
        per_second = self.n_cases / self.seconds if self.seconds else 0.0
        return (
            f"{self.name}: {tried}: {found} ({self.seconds:.0f} s, {per_second:,.1f} "
            f"cases a second)"
        )


def run(
    name: str,
    seed: int,
    numbers: range,
    advance: Callable[[int], None] = lambda n: None,
    on_finding: Callable[[Finding], None] = lambda finding: None,
    seconds: float | None = None,
) -> Report:
    """Run cases of a surface.

    Args:
        seconds: Begin no more cases after so many.
    """
    found = surface(name)
    report = Report(name, found.UNIT)
    with tempfile.TemporaryDirectory(prefix="dynoracle-fuzz-") as directory:
        found.prepare(Path(directory))
        (Path(directory) / "scratch").mkdir(exist_ok=True)
        begin = time.monotonic()
        first = numbers.start
        while first < numbers.stop:
            left = None if seconds is None else begin + seconds - time.monotonic()
            if left is not None and left <= 0:
                break
            part = range(first, numbers.stop)
            for result in in_container(name, directory, seed, part, found.LIMITS, left):
                first = result["end"] + 1
                report.n_cases += 1
                report.n_tried += result["tried"]
                report.seconds = time.monotonic() - begin
                advance(1)
                if result["outcome"] != "fine":
                    finding = Finding(
                        *(name, seed, result["end"]),
                        *(result["outcome"], result["message"]),
                    )
                    report.findings.append(finding)
                    on_finding(finding)
    return report


def in_container(
    name: str,
    directory: str,
    seed: int,
    numbers: range,
    limits: Limits,
    seconds: float | None,
) -> Iterator[dict[str, Any]]:
    """The results of cases in a new container, up to a case that ends it.

    Args:
        seconds: For all of them; then the container is ended between two cases.
    """
    arguments = [name, directory, seed, numbers.start, numbers.stop]
    command = [sys.executable, "-m", f"{__package__}.container", *map(str, arguments)]
    end = None if seconds is None else time.monotonic() + seconds
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        reader = threading.Thread(target=read_lines, args=(process, lines), daemon=True)
        reader.start()
        running, wait = None, START_SECONDS
        try:
            while True:
                try:
                    line = lines.get(timeout=wait)
                except queue.Empty:
                    message = f"no end after {wait:.0f} seconds"
                    yield {"end": at(running), **bad("hang", message)}
                    return
                if not line:
                    break
                result = json.loads(line)
                wait = limits.seconds
                if "end" in result:
                    running = None
                    yield result
                    if end is not None and time.monotonic() > end:
                        return
                running = result.get("begin", running)
            code = process.wait()
        finally:
            # Also what the cases have started.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            reader.join()
        if code not in (0, GROWN):
            errors.seek(0)
            tail = errors.read()[-4000:].decode("utf8", "replace")
            yield {"end": at(running), **bad("crash", f"exit code {code}\n{tail}")}


def at(running: int | None) -> int:
    """The case that was running.

    Raises:
        RuntimeError: If the container did not begin.
    """
    if running is None:
        raise RuntimeError("the container ended or hung before or between its cases")
    return running


def bad(outcome: str, message: str) -> dict[str, Any]:
    """The result of a case that ended its container."""
    return {"outcome": outcome, "tried": 1, "message": message}


def read_lines(
    process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes]
) -> None:
    """Put the lines of a process into a queue, and an empty one at the end."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(b"")
