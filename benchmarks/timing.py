"""Measured times and their summaries."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Time:
    """The seconds of one run: wall time, and CPU time of all threads of the process."""

    wall: float
    cpu: float

    def __sub__(self, other: Time) -> Time:
        return Time(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Time) -> Time:
        return Time(self.wall + other.wall, self.cpu + other.cpu)

    def __mul__(self, factor: float) -> Time:
        return Time(self.wall * factor, self.cpu * factor)

    def __truediv__(self, other: Time) -> Time:
        return Time(_ratio(self.wall, other.wall), _ratio(self.cpu, other.cpu))

    @staticmethod
    def now() -> Time:
        """Read the two clocks."""
        return Time(time.perf_counter(), time.process_time())


ONE = Time(1.0, 1.0)


def _ratio(a: float, b: float) -> float:
    # A clock may be too coarse for a tiny run.
    return a / b if b > 0 else 0.0


def measure(run: Callable[[], object]) -> Time:
    """Measure the time of one call, without garbage collection during the call."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        start = Time.now()
        run()
        return Time.now() - start
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True)
class Summary:
    """The median, the smallest and the largest of repeated measurements."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """The summary of at least one value."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Row:
    """One result.

    Attributes:
        table, name: Table and name of the row.
        unit: Unit of the numbers.
        cpu, wall: Summaries of repeated times, or of values computed from them.
        value: Any other result.
        words, docs, sentences_per_doc: Size of the measured text, where it applies.
    """

    table: str
    name: str
    unit: str
    cpu: Summary | None = None
    wall: Summary | None = None
    value: float | None = None
    words: int | None = None
    docs: int | None = None
    sentences_per_doc: int | None = None

    @classmethod
    def of_times(
        cls, table: str, name: str, unit: str, times: Sequence[Time], **where: int
    ) -> Row:
        """Make a row from the times on both clocks."""
        return cls(
            table,
            name,
            unit,
            cpu=Summary.of([t.cpu for t in times]),
            wall=Summary.of([t.wall for t in times]),
            **where,
        )

    def as_dict(self) -> dict[str, Any]:
        """The row for JSON, without the values that do not apply."""
        return {key: value for key, value in asdict(self).items() if value is not None}
