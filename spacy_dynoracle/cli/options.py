"""Arguments and options of the commands, and what they do with a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import srsly
import typer
from spacy.schemas import ConfigSchemaNlp, ConfigSchemaTraining

from ..treebank.files import SUFFIXES
from .common import STDOUT, CommandError, check_new_file, check_not_read, output_stream

# The files that are read in a folder. A file that is named may have any suffix.
FOLDER_SUFFIXES = (".txt", *SUFFIXES)
CORPUS = (
    "A .conllu, .conll or .spacy file, one of these with .gz, or - for standard input"
)


# What a pipeline gets of a treebank, and what where it cannot start from raw text.
Start = Literal["tags", "words", "text"]
TreebankStart = Literal["tags", "words"]
InputKind = Literal["conllu", "text"]
ResultFormat = Literal["text", "json"]

# ---- arguments -----------------------------------------------------------------------

PipelineName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="The pipeline: a directory or an installed package."
    ),
]
SystemName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A pipeline (a directory or an installed package), or a file with parses: "
        ".conllu, .conll, .spacy, with .gz, or - for standard input.",
    ),
]
TreebankFile = Annotated[Path, typer.Argument(metavar="TREEBANK", help=f"{CORPUS}.")]
INPUT = (
    "Text files (UTF-8, a blank line between paragraphs), CoNLL-U or .spacy files, "
    "all of these also with .gz, folders with such files "
    f"({', '.join(FOLDER_SUFFIXES)}), or - for text or CoNLL-U from standard input."
)

# ---- options, in the order of the help -----------------------------------------------

Text = Annotated[
    str | None, typer.Option("--text", help="Take this text instead of files.")
]
From = Annotated[
    Start,
    typer.Option(
        "--from",
        help="Let a pipeline start from the words and sentences of the treebank with "
        "their tags, from the words and sentences alone, or from the raw text.",
    ),
]
TreebankFrom = Annotated[
    TreebankStart,
    typer.Option(
        "--from",
        help="Of a treebank, use the words and sentences with their tags, or the words "
        "and sentences alone.",
    ),
]
InputOption = Annotated[
    InputKind | None,
    typer.Option(
        "--input",
        help="Read files as CoNLL-U or as text. Default: what name or content says.",
        show_default=False,
    ),
]
Probabilities = Annotated[
    Literal["transition", "marginal"] | None,
    typer.Option(
        help="Write the probability of every arc. transition: the probability of the "
        "decision that made the arc (fast). marginal: the share of sampled "
        "derivations that have the arc, or the probability by the votes of a committee."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", min=1, help="Number of processes; each of them loads the pipeline."
    ),
]
ResultForm = Annotated[
    ResultFormat,
    typer.Option("--format", help="Print the result as tables or as JSON."),
]
ResultFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write the result as JSON to this file; - is standard output, without "
        "tables.",
    ),
]
OutputFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write to this file; - is standard output."),
]


def format_of(given: str | None, output: Path | None, known: Any, default: str) -> str:
    """The format that the user names or, if there is none, that of the suffix of the
    output.

    Args:
        known: The type of all formats, a Literal.

    Raises:
        CommandError: For a suffix of another format.
    """
    suffix = "" if output is None else output.suffix.removeprefix(".")
    formats = get_args(known)
    if given is None and suffix not in ("", "txt", *formats):
        raise CommandError(f"{output}: {suffix!r} is none of {', '.join(formats)}")
    return given or (suffix if suffix in formats else default)


def key_and_value(setting: str) -> tuple[str, str]:
    """The parts of a setting of a config.

    Raises:
        CommandError: For others than section.key=value, and for keys that spaCy does
            not know in its own sections, where it would ignore them.
    """
    key, equals, value = setting.partition("=")
    section, dot, name = key.partition(".")
    if not equals or not dot:
        raise CommandError(
            f"--set {setting}: expected section.key=value, as nlp.lang=de"
        )
    schemas: dict[str, Any] = {"training": ConfigSchemaTraining, "nlp": ConfigSchemaNlp}
    schema = schemas.get(section)
    if schema and name.partition(".")[0] not in schema.model_fields:
        known = ", ".join(sorted(schema.model_fields))
        raise CommandError(f"--set {setting}: no {name!r} in [{section}], but {known}")
    return key, value


class ResultOptions:
    """Where a result goes.

    Args:
        output: A file for JSON.
        form: What is printed; JSON if the file is standard output.
        inputs: The files that are read, of which the output is none.

    Attributes:
        tables: Whether tables are printed.

    Raises:
        CommandError: If the file cannot be written.
    """

    def __init__(
        self, output: Path | None, form: ResultFormat, *inputs: str | Path
    ) -> None:
        to_stdout = str(output) == STDOUT
        self.tables = form == "text" and not to_stdout
        self._files = [] if self.tables else [Path(STDOUT)]
        if output is not None and not to_stdout:
            check_new_file(output)
            check_not_read(output, inputs)
            self._files.append(output)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write the result as JSON, to where it was asked for."""
        for file in self._files:
            with output_stream(file) as stream:
                stream.write(srsly.json_dumps(dict(values), indent=2) + "\n")
