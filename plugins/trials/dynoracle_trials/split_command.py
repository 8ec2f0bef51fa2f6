"""``split``: one treebank file into train, dev and test."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.errors import value_errors_as
from spacy_dynoracle.reports.tables import percent
from spacy_dynoracle.util.texts import counted

from .splitting import PROPORTIONS, split

Treebank = Annotated[
    Path,
    typer.Argument(
        metavar="TREEBANK",
        help="A CoNLL-U file, also with .gz, or - for standard input.",
    ),
]
Proportions = Annotated[
    tuple[float, float, float],
    typer.Option(help="The shares of the words of train, dev and test."),
]
Folder = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="The directory for train.conllu, dev.conllu and test.conllu. No file is "
        "replaced.",
    ),
]


@one_line_errors
def split_command(
    treebank: Treebank, *, proportions: Proportions = PROPORTIONS, output: Folder
) -> None:
    """Divide a treebank file into train, dev and test.

    Documents (# newdoc) stay whole, and each part gets some from everywhere. Without
    documents, or if they are too few, the parts are three runs of sentences. Each line
    of the file is in one of the parts as it was.
    """
    with value_errors_as(CommandError):
        found = split(treebank, output, proportions)
    n_words = sum(part.words for part in found.parts)
    for part in found.parts:
        sizes = [counted(part.sentences, "sentence"), counted(part.words, "word")]
        if found.n_documents > 1:
            sizes.insert(0, counted(part.documents, "document"))
        share = percent(part.words / n_words)
        typer.echo(f"{part.path}: {', '.join(sizes)} ({share} %)")
    if found.by_document:
        typer.echo("Documents were kept whole, and dealt to the parts in turn.")
        return
    why, cut = "The file marks fewer than two documents (# newdoc)", ""
    if found.n_documents > 1:
        why = f"The {found.n_documents} documents cannot be dealt in these proportions"
        cut = ", and may cut a document"
    typer.echo(f"{why}, so the parts are runs of sentences{cut}.")
