"""Packages that only some functions need, and that users install with an extra."""

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtraError(ImportError):
    """A package is missing; the message says how to install it."""


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Turn a failed import into an error that says what to install.

    Args:
        what: The things that need the package, in the plural.
        extra: The extra that has it.
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(
            f"{what} need {package or error}: pip install 'spacy-dynoracle[{extra}]'"
        ) from error
