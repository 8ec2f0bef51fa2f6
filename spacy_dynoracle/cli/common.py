"""What several commands need: user errors, loading pipelines, output files."""

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
from typing import ParamSpec, TextIO, TypeVar

import spacy
import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import ConfigValidationError

from ..components.base import Component
from ..errors import PipelineError, TreebankError
from ..treebank.docs import Sentence, has_tags, read_conllu
from ..treebank.pipelines import tag_writers as tag_writers

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

# Sentences read, parsed and scored at a time: memory stays constant.
CHUNK = 1000


class CommandError(Exception):
    """Something the user can put right; the message is one complete line."""


def one_line_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Decorator: errors of users become one line on stderr and exit status 1."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (CommandError, PipelineError, TreebankError) as error:
            message = str(error)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # a closed pager: click ends quietly
            message = f"{error.filename or 'input/output'}: {error.strerror or error}"
        typer.echo(f"Error: {message}", err=True)
        raise typer.Exit(1)

    return wrapped


def load_pipeline(model: str) -> Language:
    """A spaCy pipeline by directory or package name.

    Raises CommandError if it cannot be loaded.
    """
    try:
        nlp = spacy.load(model)
    except OSError as error:
        if Path(model).exists():
            reason = f"{model} is no complete pipeline ({_first_line(error)})"
        else:
            reason = (
                f"no directory or installed package {model!r}; train a pipeline with "
                "'spacy train' and name its model-best directory"
            )
    except (ValueError, KeyError, ImportError) as error:
        reason = _first_line(error)
    else:
        for name, pipe in nlp.pipeline:
            if isinstance(pipe, Component) and pipe.model is None:
                raise CommandError(
                    f"the {pipe.kind} {name!r} of the pipeline {model!r} is not "
                    "trained; train it with 'spacy train'"
                )
        return nlp
    raise CommandError(f"cannot load the pipeline {model!r}: {reason}")


def _first_line(error: Exception) -> str:
    if isinstance(error, ConfigValidationError):
        return " ".join(str(error).split())
    return " ".join(str(error).split("\n", 1)[0].split()) or type(error).__name__


def check_parsed(nlp: Language, model: str, doc: Doc, source: Sentence | None) -> None:
    """Raise CommandError if a Doc has no heads or other words than its source."""
    if len(doc) and not doc.has_annotation("DEP"):
        raise CommandError(
            f"the pipeline {model!r} sets no heads (its components: {_names(nlp)}); it "
            "needs a parser, such as dynoracle_parser"
        )
    if source is not None:
        check_words(nlp, model, doc, source)


def check_words(nlp: Language, model: str, doc: Doc, source: Sentence) -> None:
    """Raise CommandError if a Doc has other words than its source."""
    if len(doc) != len(source.tokens):
        raise CommandError(
            f"the pipeline {model!r} splits or merges words of {source.path} (its "
            f"components: {_names(nlp)}); remove the component that does"
        )


def _names(nlp: Language) -> str:
    return ", ".join(nlp.pipe_names) or "none"


@contextmanager
def output_stream(path: Path | None) -> Iterator[TextIO]:
    """A text stream to write to: stdout, or a file that appears when complete.

    The file is written under a temporary name beside it and renamed at the end;
    after an error nothing stays. Raises CommandError if it cannot be written.
    """
    if path is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            # CoNLL-U and JSON are UTF-8 whatever the terminal's encoding is.
            sys.stdout.reconfigure(encoding="utf-8")
        yield sys.stdout
        return
    if path.is_dir():
        raise CommandError(f"{path} is a directory; name a file to write")
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: no such directory to write {path.name} to")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def check_new_directory(path: Path) -> None:
    """Raise CommandError unless a directory can be made there or is empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise CommandError(f"{path} is there already; name a new directory")
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: no such directory to make {path.name} in")


def store_in_new(nlp: Language, path: Path) -> None:
    """Store a pipeline in a new directory, which appears when it is complete."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        nlp.to_disk(scratch)
        os.replace(scratch, path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def progress_bar(what: str, visible: bool = True) -> Iterator[Callable[[int], None]]:
    """A counter on stderr, where that is a terminal; yields how to advance it."""
    console = Console(stderr=True)
    if not (visible and console.is_terminal):
        yield lambda n: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} {task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda n: progress.advance(task, n)


def use_file_tags(path: Path, wanted: bool) -> bool:
    """Whether to put the tags of a treebank file on its Docs.

    wanted: what the user asked for. A note on stderr says so if they cannot be
    had, because the first sentence of the file has none.
    """
    if not wanted:
        return False
    first = next(iter(read_conllu(path)))
    if not has_tags(first):
        typer.echo(f"Note: {path} has no tags; using those of the pipeline", err=True)
        return False
    return True


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of up to size items."""
    batch: list[T] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
