"""The table of the README: our pipeline from raw text, beside spaCy's and UDPipe's.

    python -m benchmarks.readme_table NAME:LANG --treebanks DIR --work DIR
        --new-text FILE

trains them on the same treebank, each as its own users would (see README.md beside this
file), scores them on the raw text of the test set, times them on text of another
treebank, and prints a Markdown table. UDPipe takes part if `ufal.udpipe` is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer
from rich.console import Console
from rich.progress import track

from benchmarks.data import treebank_file
from benchmarks.from_text import (
    SPACY,
    TEXT,
    Plan,
    SetOptions,
    Source,
    Work,
    by_pipeline,
    language_of,
    load,
    percentages,
    scored,
)
from benchmarks.new_text import read_texts
from benchmarks.running import forget_forms
from benchmarks.steps import Step, command
from benchmarks.timing import Summary, Time, measure
from benchmarks.udpipe import UDPipe, is_installed
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.evaluation.conll2018 import score_set_values
from spacy_dynoracle.evaluation.texts import text_of
from spacy_dynoracle.treebank import TreebankSentence, read_conllu
from spacy_dynoracle.treebank.text import paragraphs
from spacy_dynoracle.util.files import replace_file

OURS, UDPIPE = "fast", "udpipe"
NAMES = {OURS: "spacy_dynoracle", SPACY: "spaCy's components", UDPIPE: "UDPipe 1"}
MEASURES = ("Sentences", "UPOS", "Lemmas", "LAS")
SEED = 1
ROUNDS, LOADS = 3, 5
MEGA = 1e6

# Parses texts, and returns a function that counts their words.
Parse = Callable[[list[str]], Callable[[], int]]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass
class Contestant:
    """A trained pipeline.

    Attributes:
        path: Its file or directory.
        load: Loads it anew, ready to read text.
        open: Loads its files.
        scores: F1 by measure on the raw text of the test set, in per cent.
        times: For each round the time for a word.
    """

    name: str
    path: Path
    load: Callable[[], Parse]
    open: Callable[[], object]
    scores: dict[str, float]
    times: list[Time] = field(default_factory=list)

    @property
    def megabytes(self) -> float:
        """The size of the files."""
        files = chain([self.path], self.path.rglob("*"))
        return sum(file.stat().st_size for file in files if file.is_file()) / MEGA

    def load_milliseconds(self) -> float:
        """The median time of loading, with the files in the cache."""
        self.open()
        return 1000 * Summary.of([measure(self.open).wall for _ in range(LOADS)]).median

    def read(self, before: list[str], texts: list[str]) -> None:
        """Load it, let it read some text, and time it on another one."""
        forget_forms()
        parse = self.load()
        parse(before)
        counts: list[Callable[[], int]] = []
        time = measure(lambda: counts.append(parse(texts)))
        self.times.append(time * (1 / counts[0]()))


def of_spacy(plan: Plan, pipeline: str) -> Contestant:
    """A pipeline of spaCy, with our components or its own."""
    path = plan.model(pipeline, SEED)

    def loaded() -> Parse:
        nlp = load(path, pipeline)

        def parse(texts: list[str]) -> Callable[[], int]:
            docs = list(nlp.pipe(texts))
            return lambda: sum(map(len, docs))

        return parse

    scores = scored(plan, pipeline, SEED)[TEXT]
    return Contestant(NAMES[pipeline], path, loaded, partial(spacy.load, path), scores)


def of_udpipe(plan: Plan) -> Contestant:
    """The pipeline of UDPipe."""
    path = plan.output(UDPIPE, SEED) / "model.udpipe"
    udpipe = UDPipe()

    def loaded() -> Parse:
        pipeline = udpipe.load_pipeline(path)

        def parse(texts: list[str]) -> Callable[[], int]:
            found = list(map(pipeline, texts))
            return lambda: sum(len(s.words) for t in found for s in sentences_of(t))

        return parse

    scores = path.with_name("scores.json")
    if not scores.exists():
        pipeline = udpipe.load_pipeline(path)
        gold = list(read_conllu(plan.test))
        texts = [text for text, _ in paragraphs(gold)]
        predicted = chain.from_iterable(sentences_of(pipeline(text)) for text in texts)
        found = percentages(score_set_values(text_of(gold), text_of(predicted)))
        replace_file(scores, srsly.json_dumps(found, indent=2).encode())
    opened = partial(udpipe.load_pipeline, path)
    found = dict(srsly.read_json(scores))
    return Contestant(NAMES[UDPIPE], path, loaded, opened, found)


def sentences_of(conllu: str) -> Iterator[TreebankSentence]:
    """The sentences that UDPipe has written."""
    return read_conllu(UDPIPE, stream=BytesIO(conllu.encode()))


def udpipe_step(plan: Plan) -> Step:
    """The training of UDPipe's pipeline."""
    source = plan.source / plan.treebank
    path = plan.output(UDPIPE, SEED) / "model.udpipe"
    of = treebank_file(source, "train"), treebank_file(source, "dev"), path
    return Step(path, command("-m benchmarks.udpipe", *of))


def contestants(plan: Plan, console: Console) -> Iterator[Contestant]:
    """Train and score all pipelines."""
    for pipeline in (OURS, SPACY):
        for step in plan.steps(pipeline, SEED):
            step.run(console)
        yield of_spacy(plan, pipeline)
    if is_installed():
        udpipe_step(plan).run(console)
        yield of_udpipe(plan)


def table_of(found: list[Contestant]) -> Iterator[str]:
    """The lines of the Markdown table."""
    names = (*MEASURES, "words per second", "model", "loading")
    yield "| | " + " | ".join(names) + " |"
    yield "| --- |" + " ---: |" * len(names)
    for contestant in found:
        speed = Summary.of([1 / max(time.cpu, 1e-12) for time in contestant.times])
        cells = [
            contestant.name,
            *(f"{contestant.scores[name]:.1f}" for name in MEASURES),
            f"{speed.median:,.0f}",
            f"{contestant.megabytes:.0f} MB",
            f"{contestant.load_milliseconds():.0f} ms",
        ]
        yield f"| {' | '.join(cells)} |"


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        str, typer.Argument(help="Name and language, as UD_English-EWT:en.")
    ],
    work: Work,
    new_text: Annotated[
        Path, typer.Option(help="A file of another treebank, for the speed.")
    ],
    source: Source,
    set_options: SetOptions = None,
) -> None:
    """Train pipelines on a treebank and print a Markdown table of the results.

    What exists in the work directory is not made again.
    """
    name, lang = language_of(treebank)
    console = Console(stderr=True)
    options = by_pipeline(set_options)
    plan = Plan(name, lang, source.resolve(), work.resolve(), options)
    texts = read_texts(new_text, ROUNDS)
    found = list(contestants(plan, console))
    step = 2 * ROUNDS
    for i in track(range(ROUNDS), "Parsing", console=console, transient=True):
        for contestant in found:
            contestant.read(texts[i::step], texts[i + ROUNDS :: step])
    typer.echo("\n".join(table_of(found)))
    reference = [time.cpu for time in found[0].times]
    for contestant in found[1:]:
        ratios = [b.cpu / a for a, b in zip(reference, contestant.times, strict=True)]
        middle = Summary.of(ratios).median
        typer.echo(
            f"\n{NAMES[OURS]} is {middle:.1f} times as fast as {contestant.name}."
        )


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.readme_table")
