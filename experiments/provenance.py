"""The commit of the code that makes a result."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path

import spacy_dynoracle


@lru_cache(maxsize=1)
def commit() -> str:
    """The commit of the checkout that this package is in, with "+" after it if files
    of the package were changed since. Without a checkout, the version of the package.
    """
    directory = Path(spacy_dynoracle.__file__).parent
    try:
        # The package may be installed below a checkout of something else.
        _git(directory, "ls-files", "--error-unmatch", "__init__.py")
        found = _git(directory, "rev-parse", "HEAD")
        changed = _git(directory, "status", "--porcelain", "-uno", "--", ".")
    except (OSError, subprocess.CalledProcessError):
        return f"version {spacy_dynoracle.__version__}"
    return found + "+" * bool(changed)


def _git(directory: Path, *arguments: str) -> str:
    command = ["git", "-C", str(directory), *arguments]
    return subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.strip()
