"""``evaluate --from-text``: the pipeline finds words and sentences by itself."""

import time
from collections.abc import Iterator
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language

from ..evaluation.conll2018 import TextEvaluation, TextScore
from ..treebank.docs import Sentence, read_conllu, texts
from .common import CommandError, batched, check_parsed, progress_bar

# Paragraphs read, parsed and scored at a time.
CHUNK = 200


def evaluate_text(
    nlp: Language, model: str, treebank: Path, batch_size: int
) -> tuple[dict[str, TextScore], int, float]:
    """Scores of a pipeline on the raw text of a treebank, the number of words it found
    and the seconds it took.

    Raises CommandError if it sets no heads or changes the text.
    """
    evaluation = TextEvaluation()
    words = 0
    seconds = 0.0
    with progress_bar("paragraphs evaluated") as advance:
        for chunk in batched(_texts(nlp, treebank), CHUNK):
            start = time.perf_counter()
            docs = list(nlp.pipe([text for text, _ in chunk], batch_size=batch_size))
            seconds += time.perf_counter() - start
            for (_, sentences), doc in zip(chunk, docs, strict=True):
                check_parsed(nlp, model, doc, None)
                words += sum(not token.is_space for token in doc)
                try:
                    evaluation.add(sentences, doc)
                except ValueError as error:
                    name = sentences[0].name
                    raise CommandError(
                        f"{treebank}, text from sentence {name}: {error}"
                    ) from error
            advance(len(chunk))
    return evaluation.scores(), words, seconds


def _texts(nlp: Language, treebank: Path) -> Iterator[tuple[str, list[Sentence]]]:
    """The paragraphs of a file. Raises CommandError where one is too long."""
    for text, sentences in texts(read_conllu(treebank)):
        if len(text) > nlp.max_length:
            raise CommandError(
                f"{treebank}: a text of {len(text):,} characters from sentence "
                f"{sentences[0].name}, the pipeline takes {nlp.max_length:,} at most; "
                "mark where documents begin with comments # newdoc"
            )
        yield text, sentences


def print_text_scores(
    scores: dict[str, TextScore], treebank: Path, words: int, seconds: float
) -> None:
    """Show the scores as a table, in per cent."""
    table = Table(title=f"{treebank.name}, from raw text")
    table.add_column("")
    for title in ("precision", "recall", "F1", "of aligned words"):
        table.add_column(title, justify="right")
    for measure, score in scores.items():
        row = [score.precision, score.recall, score.f1]
        aligned = score.aligned_accuracy
        cells = [f"{100 * value:.2f}" for value in row]
        cells.append("" if aligned is None else f"{100 * aligned:.2f}")
        table.add_row(measure, *cells)
    # Paths are data, not markup.
    Console(markup=False, emoji=False, highlight=False).print(table)
    speed = words / seconds if seconds else 0.0
    typer.echo(f"{words:,} words found, {speed:,.0f} words/s, tags: pipeline")
