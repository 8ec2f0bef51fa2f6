"""Worker processes that end with the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

# How often a worker looks whether its parent lives, where it cannot wait for the end.
SECONDS = 1.0

_watched = threading.Lock()


def end_with(parent: int) -> None:
    """Let this process end when its parent does.

    A parent that is killed cannot tell its workers to stop, so a thread of the worker
    waits for the end of the parent. Call the function at the start of a worker, or of
    each of its tasks: only the first call starts the thread.

    parent: the process id of the parent, as the parent itself knows it.
    """
    # The lock is never released: one thread is enough.
    if parent != os.getpid() and _watched.acquire(blocking=False):
        threading.Thread(
            target=_end_after, args=(parent,), name="end with parent", daemon=True
        ).start()


def _end_after(parent: int) -> None:
    """Wait for the end of the parent, then end this process at once."""
    process = multiprocessing.parent_process()
    if process is not None and process.pid == parent:
        process.join()
    elif os.name == "posix":
        # A process whose parent has ended gets another parent.
        while os.getppid() == parent:
            time.sleep(SECONDS)
    else:
        return
    os._exit(1)
