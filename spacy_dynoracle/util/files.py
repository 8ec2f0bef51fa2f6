"""Files: read as a whole, and either old or new, never half-written."""

import mmap
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .arrays import aligned_bytes

# What a killed process left is removed when nobody has written to it for a day.
LEFT_AFTER = 24 * 3600.0
# Ends the names of files that are not complete.
PART = ".part"
_INCOMPLETE = re.compile(r"\..+\.[0-9a-f]{16}\.part")
# The environment variable that has model files mapped.
SHARING = "DYNORACLE_SHARED_MODELS"


def read_file(path: Path) -> bytes | memoryview:
    """The contents of a file, read-only, in memory that begins where arrays can.

    If the environment variable SHARING is set, they are a read-only mapping of the
    file, which all processes share that map it. The file may be replaced then, but
    nobody may write into it as long as the mapping is in use: what reads it could
    crash, or write over its own memory. Files that cannot be mapped are read.
    """
    with path.open("rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
            return stream.read()
        if os.environ.get(SHARING, "0") not in ("", "0"):
            with suppress(OSError):
                mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
                return memoryview(mapped)
        memory = aligned_bytes(status.st_size).data
        return memory[: stream.readinto(memory)].toreadonly()


def read_text(path: str | Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        ValueError: If it cannot be read, or is not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"{path}: cannot be read: {reason}") from error


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that at any time either the old or the new one is there."""
    with replacing(path) as stream:
        stream.write(data)


def replace_directory(path: Path, new: Path) -> None:
    """Give a directory the name of another one, which may exist; the old one is
    deleted. After an error the old one is there.

    A process that is killed between two renames leaves the old one beside it, under a
    name that begins with a dot and ends in `.old`.
    """
    if not path.exists():
        os.replace(new, path)
        return
    old = path.with_name(f".{path.name}.{secrets.token_hex(8)}.old")
    os.replace(path, old)
    try:
        os.replace(new, path)
    except BaseException:
        os.replace(old, path)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to write a file with.

    The file appears, or replaces an older one, when the block ends; after an error the
    older one is left.

    The bytes are on the disk before the file has its name, so that it is whole even
    after a loss of power. A link stays, and the file that it leads to is replaced. The
    new file has the permissions of the older one. What is there and is no regular file,
    such as a device or a named pipe, is written to directly.

    A process that is killed while it writes leaves the incomplete file beside the
    older one, under a name that begins with a dot and ends in `.part`. The next
    writing of the same file removes such files of the day before.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    remove_leftovers(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}{PART}")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _keep_names(target.parent)


def is_leftover(path: Path) -> bool:
    """Whether a killed process has left this incomplete file; see `replacing`."""
    return bool(_INCOMPLETE.fullmatch(path.name)) and path.is_file()


def remove_leftovers(target: Path) -> None:
    """Remove incomplete files that killed processes left of a file a day ago."""
    begin, old = f".{target.name}.", time.time() - LEFT_AFTER
    # Whatever cannot be looked at or removed stays.
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(begin) and entry.name.endswith(PART):
                with suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(found.st_mode) and found.st_mtime < old:
                        os.unlink(entry.path)


def _keep_names(directory: Path) -> None:
    """Write the names of a directory to the disk, where the system can do that."""
    if os.name != "posix":
        return
    with suppress(OSError):
        number = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def last_change(directory: str | Path) -> int:
    """The time of the last change of a file below a directory, in nanoseconds; 0 if
    there is no such directory.

    Workers that keep what they have loaded load it again when this time is another one.
    """
    files = (path for path in Path(directory).rglob("*") if path.is_file())
    return max((path.stat().st_mtime_ns for path in files), default=0)
