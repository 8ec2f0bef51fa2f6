"""Telling a caller how far long work has come."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

# Told how many more items are done.
Advance = Callable[[int], None]
# Gets what is counted, in the plural ("folds parsed"), when the work begins.
Progress = Callable[[str], AbstractContextManager[Advance]]

# Seconds.
_BETWEEN_LINES = 60


@contextmanager
def progress_bar(
    what: str, visible: bool = True, clock: Callable[[], float] = time.monotonic
) -> Iterator[Advance]:
    """A `Progress` that counts on stderr: in a terminal all the time, and in a file
    with one line a minute at most. The clock tells seconds.
    """
    if not (visible and sys.stderr.isatty()):
        yield _by_lines(what, clock) if visible else lambda n: None
        return
    # Few callers show a bar, and the import takes long.
    from rich import progress
    from rich.console import Console
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} {task.description}"),
        TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda n: bar.advance(task, n)


def _by_lines(what: str, clock: Callable[[], float]) -> Advance:
    n_done, due = 0, clock() + _BETWEEN_LINES

    def advance(n: int) -> None:
        nonlocal n_done, due
        n_done += n
        if (now := clock()) >= due:
            due = now + _BETWEEN_LINES
            sys.stderr.write(f"{n_done:,} {what}\n")

    return advance


# A `Progress` that shows nothing.
no_progress: Progress = partial(progress_bar, visible=False)
