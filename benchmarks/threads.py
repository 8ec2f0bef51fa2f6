"""Speed with threads of the parser and with threads of its caller.

Run it as `python -m benchmarks.threads` or `python benchmarks/threads.py`, with
`--help` for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import Text, count_words, read_texts, repeated
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank, load, the_parser, trained
from benchmarks.report import conditions, describe, show
from benchmarks.running import consume
from benchmarks.timing import Time, measure
from spacy_dynoracle import set_threads
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.core.search.base import Search

SAMPLE = ROOT / "treebanks" / "English-Harbour"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class TimedSearch(Search):
    """A search that measures the time in the core, which runs without the GIL."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.wall = 0.0

    def parse(self, model: Any, sentences: Any, root_rule: Any = None) -> Any:
        """Do the same as `Search.parse`, and add its time."""
        start = Time.now()
        try:
            return self.search.parse(model, sentences, root_rule)
        finally:
            self.wall += (Time.now() - start).wall


@dataclass
class Contestant:
    """One way to parse all documents.

    Attributes:
        times: Times of the rounds so far.
    """

    name: str
    batch_size: int
    run: Callable[[list[Doc]], object]
    times: list[Time] = field(default_factory=list)


def own(nlp: Language, batch_size: int, n_threads: int) -> Callable[[list[Doc]], None]:
    """A function that runs `nlp.pipe` with `n_threads` threads of the parser."""

    def run(docs: list[Doc]) -> None:
        set_threads(nlp, n_threads)
        try:
            consume(nlp.pipe(docs, batch_size=batch_size))
        finally:
            set_threads(nlp, 1)

    return run


def callers(
    nlp: Language, batch_size: int, n_threads: int
) -> Callable[[list[Doc]], None]:
    """A function that runs `nlp.pipe` in several threads, which share a pipeline and
    divide the documents.
    """

    def run(docs: list[Doc]) -> None:
        shares = [docs[i::n_threads] for i in range(n_threads)]
        with ThreadPoolExecutor(n_threads) as pool:
            consume(
                pool.map(
                    lambda share: consume(nlp.pipe(share, batch_size=batch_size)),
                    shares,
                )
            )

    return run


def contestants(
    nlp: Language, batch_sizes: list[int], threads: list[int]
) -> list[Contestant]:
    """Every way to parse. For each batch size, the way with one thread comes first."""
    found = []
    for size in batch_sizes:
        found.append(Contestant("one thread", size, own(nlp, size, 1)))
        for n in threads:
            found.append(Contestant(f"n_threads = {n}", size, own(nlp, size, n)))
            name = f"{n} threads of the caller"
            found.append(Contestant(name, size, callers(nlp, size, n)))
    return found


def share_of_core(nlp: Language, docs: list[Doc], batch_size: int) -> float:
    """The share of the time of `nlp.pipe` that the core takes."""
    parser = the_parser(nlp)
    search = parser.parser.search
    timed = TimedSearch(search)
    parser.change(search=timed)
    try:
        time = measure(lambda: consume(nlp.pipe(docs, batch_size=batch_size)))
    finally:
        parser.change(search=search)
    return timed.wall / time.wall


def table_of(found: list[Contestant], n_words: int) -> Table:
    """A table of the words per second, and their ratio to those of one thread."""
    table = Table(title="nlp.pipe with threads", title_justify="left")
    table.add_column("")
    for column in ("batch", "words/s", "best", "times one thread", "cores in use"):
        table.add_column(column, justify="right")
    for contestant in found:
        alone = next(c for c in found if c.batch_size == contestant.batch_size)
        if contestant is alone:
            table.add_section()
        walls = [time.wall for time in contestant.times]
        ratios = [
            one.wall / time.wall
            for one, time in zip(alone.times, contestant.times, strict=True)
        ]
        best = min(time.wall for time in alone.times) / min(walls)
        cores = statistics.median(time.cpu / time.wall for time in contestant.times)
        table.add_row(
            contestant.name,
            f"{contestant.batch_size:,}",
            f"{n_words / statistics.median(walls):,.0f}",
            f"{n_words / min(walls):,.0f}",
            f"{statistics.median(ratios):.2f} (of the best: {best:.2f})",
            f"{cores:.2f}",
        )
    return table


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.conllu.")
    ] = SAMPLE,
    model: Annotated[
        Path | None,
        typer.Option(help="Trained pipeline; without it, one is trained here."),
    ] = None,
    epochs: Annotated[
        int, typer.Option(min=1, help="Epochs of training without --model.")
    ] = 5,
    lang: Annotated[str, typer.Option(help="Language, without --model.")] = "en",
    words: Annotated[int, typer.Option(min=1, help="Words to parse.")] = 40_000,
    batch: Annotated[
        list[int], typer.Option(min=1, help="Documents in a batch; repeatable.")
    ] = [128, 1000],  # noqa: B006
    threads: Annotated[
        list[int], typer.Option(min=2, help="Number of threads; repeatable.")
    ] = [2],  # noqa: B006
    repeats: Annotated[int, typer.Option(min=1, help="Runs after a warm-up.")] = 7,
    seed: Annotated[int, typer.Option(help="Seeds training and order.")] = 0,
) -> None:
    """Measure words per second with several threads."""
    texts = repeated(read_texts(treebank, seed), words)
    n_words = count_words(texts)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        if model is None:
            bar.add_task("Training", total=None)
            nlp = trained(treebank, blank(lang).lang, epochs, seed)
        else:
            nlp = load(model)
        found = contestants(nlp, batch, threads)
        task = bar.add_task("Parsing", total=len(found) * (repeats + 1))
        for number in range(repeats + 1):
            for contestant in found:
                docs = docs_of(texts, nlp)
                time = measure(lambda c=contestant, docs=docs: c.run(docs))
                if number:
                    contestant.times.append(time)
                bar.advance(task)
        shares = [
            share_of_core(nlp, docs_of(texts, nlp), max(batch)) for _ in range(repeats)
        ]
    settings = conditions() | {
        "treebank": treebank.resolve().name,
        "documents": f"sentences of dev + test, {n_words:,} words; tags preset",
        "parser": describe(the_parser(nlp)),
        "its training": f"here, {epochs} epochs" if model is None else f"{model}",
        "repeats": f"{repeats} after a warm-up",
        "without the GIL": f"{statistics.median(shares):.0%} of the time of one thread",
    }
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    show(console, settings, [])
    console.print(table_of(found, n_words))


def docs_of(texts: list[Text], nlp: Language) -> list[Doc]:
    """Make new Docs, which is not part of the timed work."""
    return [text.doc(nlp.vocab) for text in texts]


if __name__ == "__main__":
    app()
