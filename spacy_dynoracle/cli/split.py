"""``split``: one treebank file into train, dev and test."""

from pathlib import Path
from typing import Annotated

import typer

from ..errors import value_errors_as
from ..reports.tables import Grid, percent, show
from ..treebank import split
from ..treebank.corpora import corpus_name
from .common import CommandError, one_line_errors
from .options import TreebankFile

Proportions = Annotated[
    str, typer.Option(help="The shares of the words of train, dev and test.")
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
    treebank: TreebankFile, *, proportions: Proportions = "80/10/10", output: Folder
) -> None:
    """Divide a treebank file into train, dev and test.

    Documents (# newdoc) stay whole, and each part gets some from everywhere. Without
    documents, or if they are too few, the parts are three runs of sentences. Each line
    of the file is in one of the parts as it was.
    """
    try:
        shares = [float(share) for share in proportions.split("/")]
    except ValueError:
        raise CommandError(
            f"--proportions {proportions}: expected three numbers, such as 80/10/10"
        ) from None
    with value_errors_as(CommandError):
        found = split(treebank, output, shares)
    grid = Grid(
        f"{corpus_name(treebank)}, divided",
        ["", "documents", "sentences", "words", "share of words"],
    )
    n_words = sum(part.words for part in found.parts)
    for part in found.parts:
        counts = (part.documents, part.sentences, part.words)
        grid.add(
            str(part.path),
            *(f"{n:,}" for n in counts),
            f"{percent(part.words / n_words)} %",
        )
    grid.notes = [_note(found.n_documents, found.by_document)]
    show([grid])


def _note(n_documents: int, by_document: bool) -> str:
    """What was done."""
    if by_document:
        return "Documents were kept whole, and dealt to the parts in turn."
    why = "The file marks no documents (# newdoc)"
    if n_documents > 1:
        why = f"The {n_documents} documents cannot be dealt in these proportions"
    return (
        f"{why}, so the parts are three runs of sentences, which have neighbours in "
        "another part only at the cuts."
    )
