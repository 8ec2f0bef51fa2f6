"""User errors, pipelines and output files, for all commands."""

import errno
import functools
import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, ParamSpec, TextIO, TypeVar

import typer
from spacy.language import Language

from ..errors import PipelineError, TreebankError, value_errors_as
from ..parser.lookup import load_pipeline as load_pipeline
from ..treebank.corpora import is_packed
from ..util.code import import_code
from ..util.files import replace_directory, replacing
from ..util.progress import progress_bar as progress_bar

# The name of standard output as a file.
STDOUT = "-"

P = ParamSpec("P")
R = TypeVar("R")


class CommandError(Exception):
    """An error that the user can correct; the message is one complete line."""


def one_line_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Decorator: user errors become one line on stderr and exit status 1."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (CommandError, PipelineError, TreebankError, ImportError) as error:
            message = str(error)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # a closed pager: click ends quietly
            message = f"{error.filename or 'input/output'}: {error.strerror or error}"
        typer.echo(f"Error: {message}", err=True)
        raise typer.Exit(1)

    return wrapped


@one_line_errors
def use_code(path: Path | None) -> Path | None:
    """Callback: import a file of the user before a pipeline is loaded."""
    if path is not None:
        with value_errors_as(CommandError):
            import_code([str(path.absolute())])
    return path


Code = Annotated[
    Path | None,
    typer.Option(
        "--code",
        callback=use_code,
        help="Import this Python file first, as spacy train does. It registers what "
        "the pipeline names, such as a transition system of your own.",
    ),
]


@contextmanager
def output_stream(path: Path | None) -> Iterator[TextIO]:
    """A text stream to write to: standard output, or a file that appears when complete.

    Args:
        path: None or ``-`` is standard output. Links are followed, and devices and
            named pipes are written to directly; see `replacing`.

    Raises:
        CommandError: If the file cannot be written.
    """
    if path is None or str(path) == STDOUT:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # CoNLL-U and JSON are UTF-8 whatever the terminal's encoding is.
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    check_new_file(path)
    with replacing(path) as binary:
        stream = io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
        yield stream
        stream.flush()
        # The file is closed by the block that opened it.
        stream.detach()


def check_new_file(path: Path) -> None:
    """Raise CommandError unless a file can be written there."""
    if path.is_dir():
        raise CommandError(f"{path} is a directory; name a file to write")
    if is_packed(path):
        raise CommandError(
            f"{path}: output is not packed; name a file without .gz, and pack it then"
        )
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: no such directory to write {path.name} to")


def check_not_read(output: Path | None, inputs: Iterable[str | Path]) -> None:
    """Raise CommandError for an output that is one of the inputs."""
    # A terminal may be both.
    if output is not None and output.is_file():
        for path in map(Path, inputs):
            if path.exists() and output.samefile(path):
                raise CommandError(f"{output}: is an input, too; name another file")


def check_new_directory(path: Path) -> None:
    """Raise CommandError unless a directory can be made there, is empty, or is that of
    a pipeline, which `store_in_new` replaces.
    """
    is_other = path.exists() and (not path.is_dir() or any(path.iterdir()))
    if is_other and not (path / "config.cfg").is_file():
        raise CommandError(
            f"{path} is not the directory of a pipeline (it has no config.cfg), so "
            f"it is not replaced; name a new directory"
        )
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: no such directory to make {path.name} in")


def store_in_new(nlp: Language, path: Path) -> None:
    """Store a pipeline in a directory, which appears only when it is complete.

    A pipeline that is there already is replaced then.
    """
    path = Path(os.path.realpath(path))
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        nlp.to_disk(scratch)
        replace_directory(path, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
