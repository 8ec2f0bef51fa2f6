"""The exceptions that users of this package can meet."""

from collections.abc import Iterator
from contextlib import contextmanager


class TreebankError(ValueError):
    """A treebank or one of its files cannot be used.

    The message is complete: file, line, sentence, what was found, what was expected and
    what to do. The attributes repeat the position for programs.

    Args:
        path: The file or directory, as the user named it.
        line: Line number, counted from 1; None if the file as a whole is meant.
        sentence: Its ``sent_id``, or ``#`` and its ordinal; None if the file as a whole
            is meant.
    """

    def __init__(
        self,
        message: str,
        path: str | None = None,
        line: int | None = None,
        sentence: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.sentence = sentence


class ModelFileError(ValueError):
    """A saved model is damaged, or it belongs to another version or configuration."""


class PipelineError(ValueError):
    """A spaCy pipeline lacks something that a function of this package needs.

    For example, it has no `dynoracle_parser`, or one of its components merges words of
    a treebank.
    """


@contextmanager
def value_errors_as(kind: type[Exception], place: str = "") -> Iterator[None]:
    """Turn a ValueError into an error of another kind, in one line.

    Args:
        place: Stands before the message.
    """
    try:
        yield
    except ValueError as error:
        raise kind(place + " ".join(str(error).split())) from error


@contextmanager
def language_errors(lang: str) -> Iterator[None]:
    """Turn spaCy's error about a language that it does not know into one line.

    Raises:
        PipelineError: In place of spaCy's error; it names the language.
    """
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        raise PipelineError(
            f"no tokenizer for the language {lang!r}: {' '.join(str(error).split())}; "
            "'xx' is for languages that spaCy does not know"
        ) from error
