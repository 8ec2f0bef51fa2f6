"""Sentence boundaries on a page of abbreviations and missing blanks.

    python -m benchmarks.abbreviations MODEL

prints precision, recall and F1 of the boundaries inside of each text of
benchmarks/boundaries/LANGUAGE.txt, where "|" marks them, and the texts that differ.
"""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from spacy_dynoracle.cli.common import CommandError, load_pipeline, one_line_errors

PAGES = Path(__file__).with_name("boundaries")
BOUNDARY = "|"
app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command()
@one_line_errors
def main(
    model: Annotated[str, typer.Argument(help="A pipeline that finds sentences.")],
) -> None:
    """Compare the sentences of a pipeline with those of the page."""
    nlp = load_pipeline(model)
    console = Console(highlight=False, soft_wrap=True)
    n_gold = n_found = n_right = 0
    page = PAGES / f"{nlp.lang}.txt"
    if not page.exists():
        known = ", ".join(sorted(path.stem for path in PAGES.glob("*.txt")))
        raise CommandError(
            f"{model} has the language {nlp.lang!r}, but there are pages of {known}"
        )
    for line in page.read_text(encoding="utf8").splitlines():
        parts = line.split(BOUNDARY)
        text = "".join(parts)
        doc = nlp(text)
        found = [text[span.start_char : span.end_char].strip() for span in doc.sents]
        right = [part.strip() for part in parts]
        starts = {span.start_char for span in doc.sents} - {0}
        ends = accumulate(map(len, parts[:-1]))
        # A sentence starts behind the blank.
        gold = {end + text.startswith(" ", end) for end in ends}
        n_gold, n_found = n_gold + len(gold), n_found + len(starts)
        n_right += len(gold & starts)
        if found != right:
            console.print(f" {BOUNDARY} ".join(found), markup=False)
    precision, recall = n_right / max(n_found, 1), n_right / max(n_gold, 1)
    f1 = 2 * n_right / max(n_found + n_gold, 1)
    console.print(
        f"{n_gold} boundaries, {n_found} found: precision {100 * precision:.1f}, "
        f"recall {100 * recall:.1f}, F1 {100 * f1:.1f}"
    )


if __name__ == "__main__":
    app()
