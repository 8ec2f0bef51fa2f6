"""Shows how far a long command is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


class Steps:
    """The steps of a command: a bar for each on a terminal, else a line for each, on
    standard error.
    """

    def __init__(self, console: Console, bar: Progress) -> None:
        self.console = console
        self.bar = bar
        self.start = time.monotonic()

    @classmethod
    @contextmanager
    def shown(cls, duration: str) -> Iterator[Steps]:
        """Show steps, and first how long they take."""
        console = Console(stderr=True, soft_wrap=True)
        console.print(f"This takes {duration}.")
        with Progress(
            console=console,
            transient=True,
            disable=not console.is_terminal,
            redirect_stderr=False,
        ) as bar:
            steps = cls(console, bar)
            yield steps
            steps.say("done")

    def say(self, what: str) -> None:
        """Print a line with the seconds so far."""
        seconds = time.monotonic() - self.start
        self.console.print(f"{seconds:5.0f} s  {what}", highlight=False)

    def begin(self, name: str, n_parts: int | None = None) -> Callable[[], None]:
        """Begin a step.

        Args:
            n_parts: None for a step that is not divided.

        Returns:
            A function to call after each of its parts.
        """
        self.say(name)
        task = self.bar.add_task(name, total=n_parts)
        return lambda: self.bar.advance(task)
