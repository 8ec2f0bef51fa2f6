"""Telling a caller how far long work has come."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

# Told how many more items are done.
Advance = Callable[[int], None]
# Gets what is counted, in the plural ("folds parsed"), when the work begins.
Progress = Callable[[str], AbstractContextManager[Advance]]


@contextmanager
def progress_bar(what: str, visible: bool = True) -> Iterator[Advance]:
    """A `Progress` that counts on stderr, if stderr is a terminal."""
    if not (visible and sys.stderr.isatty()):
        yield lambda n: None
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


# A `Progress` that shows nothing.
no_progress: Progress = partial(progress_bar, visible=False)
