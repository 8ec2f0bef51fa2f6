"""Messages of workers on other machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from .files import TableError

# The last line of the traceback of an error whose message is complete.
_OWN = re.compile(
    r"^\S*\b(?:TableError|PipelineError|TreebankError|OSError|FileNotFoundError): "
    r"(.+)$",
    re.M,
)


@contextmanager
def user_errors(kind: type[BaseException], engine: str) -> Iterator[None]:
    """Turn an error of an engine into a TableError with the message of the worker."""
    try:
        yield
    except kind as error:
        found = _OWN.search(str(error))
        text = found[1] if found else " ".join(str(error).split())[:500]
        raise TableError(f"{engine}: {text.strip()}") from error
