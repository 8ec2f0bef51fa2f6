"""Memory of this process, including the C++ core, and measurements in fresh
processes.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy_dynoracle.cli.common import CommandError

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
ROOT = Path(__file__).resolve().parent.parent


def _status(field: str) -> int | None:
    """A field of the kernel's status of this process, in bytes; None if there is
    none.
    """
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return None
    values = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(values[0]) * 1024 if values else None


def peak() -> int:
    """The largest resident size of this process so far, in bytes."""
    # This field comes before ru_maxrss, which a process inherits from its parent.
    found = _status("VmHWM")
    if found is not None:
        return found
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def baseline() -> int:
    """Release free memory, reset the peak, and return the current resident size.

    If the system cannot report it, returns the peak so far, which is never smaller.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    try:
        CLEAR.write_text("5")
    except OSError:
        return peak()
    return _status("VmRSS") or peak()


def in_new_process(task: str, **arguments: Any) -> Iterator[dict[str, Any]]:
    """Run a task of benchmarks.child in a separate process and yield its reports.

    Raises:
        CommandError: If the task fails. Its messages go to stderr.
    """
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.child", task, json.dumps(arguments)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
        text=True,
    )
    assert process.stdout is not None
    try:
        yield from map(json.loads, process.stdout)
        status = process.wait()
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
    if status:
        raise CommandError(
            f"the process for the measurement {task!r} ended with status {status}; "
            f"its message is above"
        )
