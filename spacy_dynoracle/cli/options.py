"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

PipelineName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="The pipeline: a directory or an installed package."
    ),
]
CORPUS = (
    "A .conllu, .conll or .spacy file, one of these with .gz, or - for standard input"
)
TreebankFile = Annotated[Path, typer.Argument(metavar="TREEBANK", help=f"{CORPUS}.")]
SYSTEM = (
    "A pipeline (a directory or an installed package), or a file with parses: "
    ".conllu, .conll, .spacy, with .gz, or - for standard input."
)
# The options that all commands with results have in common.
JsonFlag = Annotated[
    bool,
    typer.Option(
        "--json", help="Print the result as JSON to standard output instead of tables."
    ),
]
JsonOutput = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write the result as JSON to this file; - is standard output, without "
        "tables.",
    ),
]
# For commands that read one treebank file.
FileTags = Annotated[
    bool,
    typer.Option(
        help="Parse with the tags of the file, or with those of the pipeline."
    ),
]
# For commands that read text or treebank files.
ConlluTags = Annotated[
    bool,
    typer.Option(
        help="Use the tags of .conllu input and disable the components that "
        "would overwrite them."
    ),
]
Lines = Annotated[
    bool,
    typer.Option("--lines", help="Make every line of a text a paragraph of its own."),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace the pipeline that is in OUTPUT already."),
]
BatchSize = Annotated[
    int, typer.Option(min=1, help="The number of Docs in a batch of the pipeline.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", min=1, help="Number of processes; each of them loads the pipeline."
    ),
]
