"""Commands that make files, and are not run again where the files exist."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from spacy_dynoracle.cli.common import CommandError

from .memory import ROOT


@dataclass(frozen=True)
class Step:
    """A file or directory that a command makes, unless it exists.

    Attributes:
        result: Path of the file or directory.
        arguments: Arguments of Python.
    """

    result: Path
    arguments: list[str]

    def run(self, console: Console) -> None:
        """Make the result.

        Raises:
            CommandError: If the command fails.
        """
        # spaCy saves a pipeline long before it is trained, and when it is interrupted.
        unfinished = self.result.parent / f"{self.result.name}.unfinished"
        if self.result.exists() and not unfinished.exists():
            console.print(f"there already: {self.result}", soft_wrap=True)
            return
        line = "python " + " ".join(self.arguments)
        console.print(line, markup=False, soft_wrap=True)
        self.result.parent.mkdir(parents=True, exist_ok=True)
        unfinished.touch()
        log = self.result.parent / f"{self.result.name}.log"
        with log.open("wb") as stream:
            status = subprocess.run(
                [sys.executable, *self.arguments],
                cwd=ROOT,
                stdout=stream,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
        if status:
            raise CommandError(f"the command failed with status {status}, see {log}")
        unfinished.unlink()


def command(words: str, *arguments: object, **options: object) -> list[str]:
    """The arguments of Python for a command."""
    named = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [*words.split(), *map(str, arguments), *map(str, named)]
