"""Telling a caller how far long work has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

# Told how many more items are done.
Advance = Callable[[int], None]
# Gets what is counted, in the plural ("folds parsed"), when the work begins.
Progress = Callable[[str], AbstractContextManager[Advance]]


@contextmanager
def no_progress(what: str) -> Iterator[Advance]:
    """A `Progress` that shows nothing."""
    yield lambda n: None
