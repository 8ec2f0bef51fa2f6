"""Counters of the processor and of the kernel for this process.

The number of instructions hardly depends on what else the machine does, unlike times.
Linux counts them where processor, kernel and settings allow it. Elsewhere, and on many
virtual machines, there are none.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable

# The number of the system call perf_event_open, by architecture.
SYSTEM_CALLS = {"x86_64": 298, "aarch64": 241}
# Events of linux/perf_event.h: type (0 hardware, 1 software) and number.
EVENTS = {"instructions": (0, 1), "cache misses": (0, 3), "page faults": (1, 2)}
MEASURED = ("instructions", "cache misses")
# The first version of struct perf_event_attr: type, size, number of the event, three
# members that stay 0, flags, and more that stays 0.
ATTRIBUTES = struct.Struct("=IIQQQQQ16x")
# Count threads that start later, and neither the kernel nor a hypervisor.
INHERIT, EXCLUDE_KERNEL, EXCLUDE_HYPERVISOR = 1 << 1, 1 << 5, 1 << 6
FLAGS = INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR


class Counter:
    """Counts an event in this process, from now on.

    Args:
        event: One of `EVENTS`.

    Raises:
        OSError: If this machine does not count it.
    """

    def __init__(self, event: str) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("no counters on this system")
        number = SYSTEM_CALLS.get(os.uname().machine)
        if number is None:
            raise OSError("no counters on this processor")
        kind, config = EVENTS[event]
        attributes = ATTRIBUTES.pack(kind, ATTRIBUTES.size, config, 0, 0, 0, FLAGS)
        library = ctypes.CDLL(None, use_errno=True)
        # This process, on any of its processors, in no group.
        self._file = library.syscall(number, attributes, 0, -1, -1, 0)
        if self._file < 0:
            raise OSError(ctypes.get_errno(), f"{event} are not counted here")

    def read(self) -> int:
        """The number of events so far."""
        return int.from_bytes(os.read(self._file, 8), sys.byteorder)

    def close(self) -> None:
        """Stop counting."""
        os.close(self._file)


def counted(run: Callable[[], object]) -> dict[str, int]:
    """The events of `MEASURED` during one call of a function, as far as this machine
    counts them.
    """
    counters = {}
    for event in MEASURED:
        try:
            counters[event] = Counter(event)
        except OSError:
            continue
    before = {event: counter.read() for event, counter in counters.items()}
    run()
    found = {event: c.read() - before[event] for event, c in counters.items()}
    for counter in counters.values():
        counter.close()
    return found
