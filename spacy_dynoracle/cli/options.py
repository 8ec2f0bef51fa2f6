"""Arguments and options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

PipelineName = Annotated[
    str, typer.Argument(help="Pipeline: a directory or an installed package.")
]
TreebankFile = Annotated[Path, typer.Argument(help="A .conllu or .conll file.")]
# Of one treebank file.
FileTags = Annotated[
    bool,
    typer.Option(
        help="Parse with the tags of the file, or those of the pipeline's tagger."
    ),
]
# Of any input.
ConlluTags = Annotated[
    bool,
    typer.Option(
        help="Use the tags of .conllu input and disable the components that "
        "would overwrite them."
    ),
]
Lines = Annotated[
    bool,
    typer.Option("--lines", help="In text, every line is a paragraph of its own."),
]
BatchSize = Annotated[int, typer.Option(min=1, help="Docs per batch in the pipeline.")]
