"""Full and read-only disks under every command that writes, and kills while it writes.

A command ends with one line about the disk, and what was there before is still there;
or it did not need the disk. After a kill an output is the old or the new one.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import prepared, writing
from .command_line import run_command
from .surface import Case, Limits

UNIT = "commands"
SHORT = 9
LIMITS = Limits(cpu_seconds=60.0, seconds=300.0)

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
CHANGES = ("os.rename", "os.mkdir", "os.truncate", "os.link", "os.symlink")


class Disk:
    """Faults of the disk under a directory, by a hook of the interpreter.

    Attributes:
        number: The error that opening for writing and renaming gives; 0 for none.
        left: So many of them succeed before.
    """

    def __init__(self) -> None:
        self.directory, self.number, self.left = "", 0, 0
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise OSError for writing below the directory."""
        if not self.number:
            return
        if event == "open":
            path, _, flags = arguments
            if not isinstance(flags, int) or not flags & WRITES:
                return
        elif event in CHANGES:
            path = arguments[0]
        else:
            return
        if isinstance(path, (str, bytes)) and os.fsdecode(path).startswith(
            self.directory
        ):
            self.left -= 1
            if self.left < 0:
                raise OSError(self.number, os.strerror(self.number), path)


@contextmanager
def full(n_bytes: int) -> Iterator[None]:
    """No file may grow beyond a size, as if the disk were full."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def killed(words: list[str], n_bytes: int) -> None:
    """Run a command in a copy of this process, which the system kills as soon as a file
    grows beyond a size.
    """
    import resource

    process = os.fork()
    if not process:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            with full(n_bytes):
                run_command(words)
        finally:
            os._exit(0)
    os.waitpid(process, 0)


def prepare(directory: Path) -> None:
    """Pipelines and files."""
    prepared.prepare(directory, ("text",))


def cases(directory: Path) -> Case:
    """Run a command on a bad disk."""
    disk = Disk()
    scratch = directory / "scratch"
    disk.directory = str(scratch)

    def case(rng: random.Random) -> int:
        name = rng.choice(sorted(writing.COMMANDS))
        command, with_old = writing.COMMANDS[name], rng.random() < 0.5
        out = writing.begin(command, scratch, False)
        wanted = writing.expected(directory, name, out)
        out = writing.begin(command, scratch, with_old)
        words = writing.command_line(command, directory, out)
        kind = rng.choice(["full", "full", "killed", "read-only", "no space", "quota"])
        # Files of the caches of libraries are larger and were there before.
        n_bytes = rng.choice([1, 10, 100, 1000, 10_000, 100_000])
        if kind == "killed" and os.name == "posix":
            killed(words, n_bytes)
            writing.check(command, out, wanted, with_old, True)
            return 1
        if kind == "full" and os.name == "posix":
            with full(n_bytes):
                result = run_command(words)
        else:
            numbers = {"read-only": errno.EROFS, "quota": errno.EDQUOT}
            disk.left = 0 if kind == "read-only" else rng.randrange(12)
            disk.number = numbers.get(kind, errno.ENOSPC)
            try:
                result = run_command(words)
            finally:
                disk.number = 0
        is_new = writing.check(command, out, wanted, with_old, False)
        assert is_new == (result.exit_code == 0), result.stderr
        if not is_new:
            reasons = (errno.EFBIG, errno.EROFS, errno.EDQUOT, errno.ENOSPC)
            text = " ".join(result.stderr.split())
            assert any(os.strerror(n) in text for n in reasons), text
        return 1

    return case
