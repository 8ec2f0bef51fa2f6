"""Python files of users, which register the functions that their pipelines name."""

import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from spacy.util import import_file

# Those that are imported already. Workers import them, too.
imported: list[str] = []


def code_digest() -> str:
    """A digest of all files that were imported."""
    return sha256(b"".join(Path(path).read_bytes() for path in imported)).hexdigest()


def import_code(paths: Iterable[str]) -> None:
    """Import files once, each as if it were run: its directory is searched for modules.

    Raises:
        ValueError: If there is no such file, or it fails.
    """
    for path in paths:
        if path in imported:
            continue
        if not Path(path).is_file() or Path(path).suffix != ".py":
            raise ValueError(f"{path}: no such Python file; expected one with .py")
        sys.path.insert(0, str(Path(path).parent))
        try:
            import_file(f"code_{len(imported)}", path)
        except Exception as error:
            raise ValueError(f"{path}: {type(error).__name__}: {error}") from error
        imported.append(path)
