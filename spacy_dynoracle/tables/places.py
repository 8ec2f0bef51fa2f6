"""Where files are, on this machine or at a URI, and the error about them."""

from pathlib import Path, PurePath
from urllib.parse import quote

import pyarrow as pa
from pyarrow import fs

from ..errors import TreebankError


class TableError(TreebankError):
    """An input or output of tables cannot be used. The message is complete."""


def is_uri(path: str) -> bool:
    """Whether a name is a URI, rather than a path."""
    return "://" in path


def is_hidden(name: PurePath) -> bool:
    """Whether files of this name, relative to the input, are left out."""
    return any(part[0] in "._" for part in name.parts)


def inside(folder: str, name: str) -> str:
    """The path or URI of a file in a folder."""
    if not is_uri(folder):
        return f"{folder.rstrip('/')}/{name}"
    # Options of the file system follow the path.
    path, mark, options = folder.partition("?")
    return f"{path.rstrip('/')}/{quote(name)}{mark}{options}"


def system_of(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URI, and the path in it.

    Raises:
        TableError: For a URI that Arrow cannot use.
    """
    if is_uri(path):
        try:
            found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(path)
            return found
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise TableError(f"{path}: {error}") from error
    return fs.LocalFileSystem(), str(Path(path).absolute())
