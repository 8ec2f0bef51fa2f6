"""Run the code of the README and of the documentation, and compare what it prints.

The blocks of a page run in their order, in a directory that holds the English pipeline
and what `spacy project run all` makes. A block of Python that prints something is
followed by a block of text, which is what it prints; a block of shell commands may be.
Without --check the script writes these texts into the pages; with --check it writes
nothing, and a difference is an error.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track
from typer.testing import CliRunner

from spacy_dynoracle.cli import app

ROOT = Path(__file__).resolve().parents[1]
# The plug-in that pages run commands of. It is Python alone, and need not be installed.
TRIALS = "dynoracle-trials"
sys.path.append(str(ROOT / "plugins" / "trials"))
PROGRAMS = ("spacy-dynoracle ", f"{TRIALS} ")
# The package that the tutorial makes.
PACKAGE = "en_pipeline"
# The pipeline that the README's first command installs.
ENGLISH = "en_dynoracle_ud"
# What `spacy project run all` reads, and what it makes.
SOURCES = ("configs", "scripts", "treebanks", "project.yml")
MADE = "training"
BLOCK = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n(?:\n```text\n(?P<text>.*?)^```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)
# A terminal of this many columns, so that tables always look the same.
COLUMNS = "100"


@dataclass(frozen=True)
class Block:
    """A block of code of a page.

    Attributes:
        number: Its place among the blocks of the page.
        text: What it should print; None if the page does not say.
    """

    number: int
    language: str
    code: str
    text: str | None

    @property
    def commands(self) -> list[str]:
        """The lines of a shell block that are commands of spacy-dynoracle, or of the
        plug-in.

        Commands that parse with an installed package are left to `.ci/package`.
        """
        if self.language != "bash":
            return []
        lines = self.code.replace("\\\n", " ").splitlines()
        return [x for x in lines if x.startswith(PROGRAMS) and PACKAGE not in x]

    @property
    def is_run(self) -> bool:
        """Whether the block is run with the page."""
        return self.language == "python" or bool(self.commands)

    @property
    def shows_output(self) -> bool:
        """Whether the text after the block is what it prints."""
        return self.language == "python" or (
            bool(self.commands) and self.text is not None
        )

    def run(self) -> str:
        """Run the block in the present directory.

        Returns:
            What it prints.

        Raises:
            RuntimeError: When a command fails.
        """
        if self.language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(self.code, f"block {self.number}", "exec"), {})
            return printed.getvalue()
        return "".join(map(run_command, self.commands))


def run_command(line: str) -> str:
    """What a command prints.

    Raises:
        RuntimeError: When it fails.
    """
    name, *arguments = shlex.split(line)
    program = import_module("dynoracle_trials.__main__").app if name == TRIALS else app
    result = CliRunner().invoke(program, arguments, env={"COLUMNS": COLUMNS})
    if result.exit_code:
        raise RuntimeError(f"{line}\n{result.output}") from result.exception
    return result.stdout


def pages() -> list[Path]:
    """The README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The blocks of code of a page."""
    return [
        Block(number, match["language"], match["code"], match["text"])
        for number, match in enumerate(BLOCK.finditer(text))
    ]


@contextlib.contextmanager
def working_directory(project: Path) -> Iterator[Path]:
    """A copy of the directory of a project, as the present directory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        shutil.copytree(project / MADE, directory / MADE)
        for name in ("configs", "treebanks"):
            (directory / name).symlink_to(ROOT / name)
        # spaCy loads a directory of this name where no package is installed.
        (directory / ENGLISH).symlink_to(english_pipeline())
        os.chdir(directory)
        try:
            yield directory
        finally:
            os.chdir(before)


def english_pipeline() -> Path:
    """The directory of the English pipeline in its package."""
    # Not that of a directory "build", which an installation leaves.
    (config,) = (ROOT / "models" / ENGLISH).glob("*_*/*-*/config.cfg")
    return config.parent


def make_project(directory: Path) -> None:
    """Run `spacy project run all` in a copy of the project.

    Raises:
        RuntimeError: When it fails.
    """
    for source in SOURCES:
        path = ROOT / source
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, directory / source)
    command = [sys.executable, "-m", "spacy", "project", "run", "all"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


def run_page(page: Path, project: Path) -> dict[Block, str]:
    """What each block of a page that is run prints."""
    found = [b for b in blocks(page.read_text(encoding="utf8")) if b.is_run]
    if not found:
        return {}
    with working_directory(project):
        return {block: block.run() for block in found}


def with_outputs(text: str, printed: dict[Block, str]) -> str:
    """The text of a page with what its blocks print."""
    parts, end = [], 0
    for block, match in zip(blocks(text), BLOCK.finditer(text), strict=True):
        if block.shows_output and block in printed:
            shown = printed[block].rstrip()
            parts += [
                text[end : match.start()],
                f"```{block.language}\n{block.code}```\n",
                f"\n```text\n{shown}\n```\n" if shown else "",
            ]
            end = match.end()
    return "".join([*parts, text[end:]])


def main(
    project: Annotated[
        Path | None,
        typer.Option(
            help="A directory in which 'spacy project run all' has run. Default: it "
            "runs in a temporary one."
        ),
    ] = None,
    check: Annotated[bool, typer.Option(help="Compare, and write nothing.")] = False,
) -> None:
    """Run the code of all pages and write what it prints into them."""
    different, failed = [], []
    with tempfile.TemporaryDirectory() as temporary:
        if project is None:
            project = Path(temporary)
            make_project(project)
        for page in track(pages(), "Running pages"):
            text = page.read_text(encoding="utf8")
            name = page.relative_to(ROOT).as_posix()
            try:
                new = with_outputs(text, run_page(page, project.resolve()))
            except Exception as error:
                failed.append(f"{name}: {type(error).__name__}: {error}")
                continue
            if new != text:
                different.append(name)
                if not check:
                    page.write_text(new, encoding="utf8")
    for name in different:
        typer.echo(f"{name}: {'differs' if check else 'written'}")
    for message in failed:
        typer.echo(message, err=True)
    raise typer.Exit(int(bool(failed) or (check and bool(different))))


if __name__ == "__main__":
    typer.run(main)
