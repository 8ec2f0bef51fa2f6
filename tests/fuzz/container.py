"""The process in which cases run: `python -m tests.fuzz.container`.

It writes a line of JSON to the standard output before and after each case. Nothing else
is written there: what cases print goes to the standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from pathlib import Path

from .surface import random_of, surface

# An exit code that says: the memory of this process has grown, take another one.
GROWN = 86
# More memory than this makes a MemoryError, which protects the machine.
MOST_MEMORY = 6 * 2**30


def peak_mb() -> float:
    """The most memory that this process has had, in MB; 0 where it is unknown."""
    # Linux lets a process inherit the peak of its parent in `getrusage`, not here.
    status = Path("/proc/self/status")
    if status.exists():
        values = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return float(values["VmHWM"].split()[0]) / 2**10
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def limit_memory() -> None:
    """Let large allocations fail. Sanitizers reserve most of the address space."""
    try:
        import resource
    except ImportError:
        return
    if "ASAN_OPTIONS" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main(name: str, directory: str, seed: str, first: str, end: str) -> int:
    """Run the cases `first` to `end`, without `end`.

    Returns:
        The exit code.
    """
    # Whatever the cases print goes elsewhere.
    channel = os.fdopen(os.dup(1), "w", encoding="utf8")
    os.dup2(2, 1)

    def tell(**values: object) -> None:
        channel.write(json.dumps(values) + "\n")
        channel.flush()

    warnings.simplefilter("ignore")
    found = surface(name)
    case = found.cases(Path(directory))
    limit_memory()
    tell(ready=True)
    for number in range(int(first), int(end)):
        tell(begin=number)
        outcome, tried, message = "fine", 1, ""
        before, start = peak_mb(), time.process_time()
        try:
            tried = case(random_of(name, int(seed), number))
        except AssertionError:
            outcome, message = "wrong", traceback.format_exc()
        except BaseException:
            outcome, message = "traceback", traceback.format_exc()
        seconds, grown = time.process_time() - start, peak_mb() - before
        # Memory first: a machine that is short of it takes long to provide it.
        if outcome == "fine" and grown > found.LIMITS.memory_mb:
            outcome, message = "memory", f"{grown:.0f} MB more"
        if outcome == "fine" and seconds > found.LIMITS.cpu_seconds:
            outcome, message = "hang", f"{seconds:.1f} seconds of CPU time"
        tell(end=number, outcome=outcome, tried=tried, message=message)
        if grown > found.LIMITS.memory_mb:
            return GROWN
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
