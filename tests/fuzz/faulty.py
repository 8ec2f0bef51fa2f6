"""A surface whose cases fail in every way, for the test of the runner."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from .surface import Case, Limits

UNIT = "faults"
SHORT = 0
LIMITS = Limits(cpu_seconds=0.5, memory_mb=80.0, seconds=3.0)

KINDS = ("fine", "crash", "endless", "hang", "memory", "traceback", "wrong")


def prepare(directory: Path) -> None:
    """Nothing is needed."""


def cases(directory: Path) -> Case:
    """A case that fails as its random numbers say."""

    def case(rng: random.Random) -> int:
        kind = rng.choice(KINDS)
        if kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif kind == "endless":
            time.sleep(600)
        elif kind == "hang":
            begin = time.process_time()
            while time.process_time() < begin + 1.0:
                pass
        elif kind == "memory":
            bytearray(range(256)) * 600_000
        elif kind == "traceback":
            raise KeyError("raw")
        assert kind != "wrong"
        return 3

    return case
