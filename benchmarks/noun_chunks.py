"""Noun chunks of predicted trees, scored against those of the gold trees.

Run it as `python -m benchmarks.noun_chunks MODEL FILE.conllu`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from rich.console import Console
from rich.table import Table
from spacy.tokens import Doc

from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.doc.noun_chunks import noun_chunks
from spacy_dynoracle.treebank import read_conllu, to_doc

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def chunks(doc: Doc) -> set[tuple[int, int]]:
    """The bounds of the chunks of a document."""
    return {(start, end) for start, end, _ in noun_chunks(doc)}


def score(model: str | Path, path: str | Path) -> dict[str, Any]:
    """The number of chunks, precision, recall and F of a pipeline on a treebank file.

    The pipeline gets the words and the sentences of the file and no tags.
    """
    nlp = spacy.load(model)
    sentences = list(read_conllu(path))
    golds = [to_doc(sentence, nlp.vocab) for sentence in sentences]
    bare = [to_doc(s, nlp.vocab, tags=False, tree=False) for s in sentences]
    counts: Counter[str] = Counter()
    for gold, parsed in zip(golds, nlp.pipe(bare), strict=True):
        expected, found = chunks(gold), chunks(parsed)
        counts["gold"] += len(expected)
        counts["predicted"] += len(found)
        counts["right"] += len(expected & found)
    precision = counts["right"] / max(counts["predicted"], 1)
    recall = counts["right"] / max(counts["gold"], 1)
    f = 2 * precision * recall / max(precision + recall, 1e-9)
    return {**counts, "precision": precision, "recall": recall, "f": f}


@app.command()
@one_line_errors
def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline.")],
    file: Annotated[Path, typer.Argument(help="A treebank file (.conllu).")],
) -> None:
    """Print precision and recall of the noun chunks of a pipeline."""
    result = score(model, file)
    table = Table("noun chunks", "gold", "predicted", "precision", "recall", "F")
    table.add_row(
        file.name,
        *(f"{result[key]:,}" for key in ("gold", "predicted")),
        *(f"{100 * result[key]:.2f}" for key in ("precision", "recall", "f")),
    )
    Console(markup=False, emoji=False, highlight=False).print(table)


if __name__ == "__main__":
    app()
