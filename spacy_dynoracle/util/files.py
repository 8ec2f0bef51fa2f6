"""Files that are either old or new, never half-written."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that at any time either the old or the new one is there."""
    with replacing(path) as stream:
        stream.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to write a file with. The file appears, or replaces an older one, when
    the block ends; after an error the older one is left.

    A link stays, and the file that it leads to is replaced. The new file has the
    permissions of the older one. What is there and is no regular file, such as a
    device or a named pipe, is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as stream:
            yield stream
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
