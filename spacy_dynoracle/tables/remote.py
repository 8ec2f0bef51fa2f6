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
# The error at the end of a traceback.
_RAISED = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)")
# The causes of an error of Java, outermost first.
_CAUSE = re.compile(r"^\s*Caused by: (?:[\w.$]+: )?(.+)$", re.M)
_FULL = re.compile(r"No space left on device|Disk quota exceeded", re.I)
_EXISTS = re.compile(r"PATH_ALREADY_EXISTS")
_LENGTH = 500


@contextmanager
def user_errors(
    kinds: type[BaseException] | tuple[type[BaseException], ...],
    engine: str,
    output: str,
) -> Iterator[None]:
    """Turn an error of an engine into a TableError of one line.

    The line is the message of the worker, or says which folder cannot be written.

    Args:
        kinds: Classes of the errors of the engine.
        output: The folder that it writes.
    """
    try:
        yield
    except kinds as error:
        raise TableError(_message(str(error), engine, output)) from error


def _message(text: str, engine: str, output: str) -> str:
    if _EXISTS.search(text):
        return exists(output)
    if _FULL.search(text):
        return (
            f"{engine}: no space left on a disk while it wrote {output}; make room, "
            "delete this folder and start again"
        )
    own = _OWN.findall(text)[:1]
    found = own or _RAISED.findall(text)[-1:] or _CAUSE.findall(text)[-1:] or [text]
    return f"{engine}: {' '.join(found[0].split())[:_LENGTH]}"


def exists(output: str) -> str:
    """The message if the folder of the output is there."""
    return f"{output}: is there already; name a new folder"
