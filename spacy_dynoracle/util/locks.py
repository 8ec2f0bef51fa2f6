"""Locks of folders that one run at a time may write to.

They need filelock, which the extras have that need locks.
"""

from pathlib import Path

from filelock import FileLock, Timeout

# The file that is locked.
LOCK = ".lock"


def locked(folder: Path, error: type[Exception] = ValueError) -> FileLock:
    """Lock a folder. The lock of a process that was killed is free.

    Args:
        error: What is raised if another run has it.

    Returns:
        The lock, which the caller releases.
    """
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as other:
        raise error(
            f"{folder}: another run is writing to it; wait for its end, or name a new "
            "folder"
        ) from other
    return lock
