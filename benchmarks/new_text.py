"""Where the time of a word goes on text that no component has read.

    python -m benchmarks.new_text MODEL TEXT [--peer MODEL]

loads each pipeline anew for each round and times it on a part of the text that it has
not seen: its tokenizer and each component by itself, and the pipeline as a whole. As
many words of the text were read before, and are not in this part; the time for these,
the first words after loading, is told apart, and so is the second time over the same
text. Pipelines take turns; TEXT is a treebank file of another source than the training
data.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import spacy
import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.running import consume, forget_forms
from benchmarks.timing import Time, measure
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.treebank import read_treebank
from spacy_dynoracle.treebank.text import sentence_text

SENTENCES_PER_TEXT = 10
# What a fresh pipeline reads first, so that nothing is made for the first time later.
WARM_UP = "This is a sentence, and here is another one. Is it? " * 20
FIRST, WHOLE = "whole pipeline, first words", "whole pipeline"
AGAIN = "the same text again"
MICRO = 1e6

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def read_texts(path: Path, rounds: int) -> list[str]:
    """The text of a treebank file, ten sentences in one.

    Raises:
        CommandError: If there are not two texts for each round.
    """
    sentences = [
        sentence.text or sentence_text(sentence) for sentence in read_treebank(path)
    ]
    needed = 2 * rounds * SENTENCES_PER_TEXT
    if len(sentences) < needed:
        raise CommandError(f"{path}: expected at least {needed} sentences")
    return [
        " ".join(sentences[i : i + SENTENCES_PER_TEXT])
        for i in range(0, len(sentences), SENTENCES_PER_TEXT)
    ]


def load(model: str, names: Sequence[str]) -> Language:
    """A pipeline that has read nothing but the warm-up."""
    forget_forms()
    nlp = spacy.load(model, exclude=names)
    consume(nlp.pipe([WARM_UP]))
    return nlp


def stages(nlp: Language, texts: list[str]) -> Iterator[tuple[str, Time, int]]:
    """Time the tokenizer and each component on all texts, one after the other.

    Yields:
        Name, time and number of words.
    """
    docs: list[Doc] = []
    time = measure(lambda: docs.extend(map(nlp.make_doc, texts)))
    n_words = sum(map(len, docs))
    yield "tokenizer", time, n_words
    for name, component in nlp.pipeline:
        pipe = partial(component.pipe, batch_size=nlp.batch_size)
        time = measure(lambda pipe=pipe: consume(pipe(docs)))  # type: ignore[misc]
        yield name, time, n_words


def microseconds(
    model: str, before: list[str], texts: list[str], exclude: Sequence[str]
) -> dict[str, float]:
    """CPU microseconds for each word, by stage.

    Args:
        before: What is read first.
    """
    found = {}
    nlp = load(model, exclude)
    n_before = sum(map(len, nlp.pipe(before)))
    n_words = 0
    for name, time, n_words in stages(nlp, texts):
        found[name] = MICRO * time.cpu / n_words
    nlp = load(model, exclude)
    for name, some, n in (
        (FIRST, before, n_before),
        (WHOLE, texts, n_words),
        (AGAIN, texts, n_words),
    ):
        time = measure(lambda some=some: consume(nlp.pipe(some)))  # type: ignore[misc]
        found[name] = MICRO * time.cpu / n
    return found


@app.command()
@one_line_errors
def main(
    model: Annotated[str, typer.Argument(help="A pipeline.")],
    text: Annotated[Path, typer.Argument(help="A treebank file.")],
    peers: Annotated[
        list[str] | None,
        typer.Option("--peer", help="Another pipeline. May be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="A component to leave out. May be repeated."),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Parts of the text.")] = 3,
) -> None:
    """Time pipelines on new text, stage by stage."""
    texts = read_texts(text, rounds)
    step = 2 * rounds
    console = Console(width=None if Console().is_terminal else 100)
    found: dict[str, list[dict[str, float]]] = {}
    for i in range(rounds):
        for name in (model, *(peers or ())):
            before, some = texts[i::step], texts[i + rounds :: step]
            measured = microseconds(name, before, some, exclude or ())
            found.setdefault(name, []).append(measured)
    whole: list[float] = []
    for name, parts in found.items():
        table = Table(title=f"{name}, {rounds} parts of {text}")
        for column in ("stage", "µs a word", "words a second"):
            table.add_column(column, justify="left" if column == "stage" else "right")
        for stage in parts[0]:
            median = statistics.median(part[stage] for part in parts)
            table.add_row(stage, f"{median:.2f}", f"{MICRO / median:,.0f}")
        console.print(table)
        whole = whole or [part[WHOLE] for part in parts]
        theirs = [part[WHOLE] for part in parts]
        ratios = sorted(b / a for a, b in zip(whole, theirs, strict=True))
        if name != model:
            middle = statistics.median(ratios)
            console.print(
                f"{model} is {middle:.1f} times as fast as {name} ({ratios[0]:.1f} to "
                f"{ratios[-1]:.1f})"
            )


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.new_text")
