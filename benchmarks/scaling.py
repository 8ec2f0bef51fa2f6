"""Growth of the parsing and training times of transition systems with the text length.

Run it as `python -m benchmarks.scaling` or `python benchmarks/scaling.py`, with
`--help` for the options. README.md beside this file explains the tables.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import Text, join, read_examples, read_texts, repeated
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank, the_parser
from benchmarks.timing import measure
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.core.state.gold import GoldTree
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.core.systems import SYSTEMS
from spacy_dynoracle.core.training.trainer import Trainer
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.parser.component import NAME

SAMPLE = ROOT / "treebanks" / "English-Harbour"
# The others are compared with this system.
BASE = "ArcHybrid"
# The systems that read the words in a linear number of transitions.
MEASURED = sorted(
    (
        name
        for name, system in SYSTEMS.items()
        if system.builds_trees and system.projective
    ),
    key=lambda name: name != BASE,
)
LENGTHS = (50, 200, 1000, 2000, 5000)
# The upper ends of the groups of sentence lengths. The training of each is timed.
GROUPS = (10, 20, 40, 80)
EXPLORING = 2
MICRO = 1e6

app = typer.Typer(add_completion=False, rich_markup_mode=None)
Pair = tuple[Sentence, GoldTree]


@dataclass
class Contestant:
    """A system in training.

    Attributes:
        examples: Sentences with their gold trees.
        attributes: Attributes that the features read.
    """

    name: str
    parser: Any
    trainer: Trainer
    examples: list[Pair]
    attributes: list[str]

    @classmethod
    def prepare(cls, name: str, treebank: Path, lang: str, seed: int) -> Contestant:
        """Make a parser that has its labels and empty weights."""
        nlp = blank(lang)
        examples = read_examples(treebank, nlp.vocab)
        system = {"@misc": f"spacy_dynoracle.{name}.v1"}
        settings = {"tag_attr": "POS", "nonprojective": "drop", "seed": seed}
        nlp.add_pipe(NAME, config={**settings, "system": system})
        nlp.initialize(lambda: examples)
        parser = the_parser(nlp)
        run = parser.training_run()
        attributes = list(parser.recipe.sources.values())
        docs = [example.predicted for example in examples]
        trees = run.usable(run.read(examples, AttributeTable(docs, attributes)))
        run.add_actions(trees)
        labels = run.trainer.actions.labels
        golds = [(sentence, tree.for_core(labels)) for sentence, tree in trees]
        return cls(name, parser, run.trainer, golds, attributes)

    def train(self, iteration: int, seed: int) -> dict[int, tuple[float, int]]:
        """Train one epoch.

        Returns:
            Seconds and words for each group of lengths.
        """
        order = list(self.examples)
        random.Random(seed + iteration).shuffle(order)
        found = {}
        for group in (*GROUPS, 0):
            part = [pair for pair in order if group_of(len(pair[0])) == group]
            words = sum(len(sentence) for sentence, _ in part)
            time = measure(lambda part=part: self.trainer.train(part, iteration))
            found[group] = (time.cpu, words)
        return found

    def parsing(self, text: Text) -> Callable[[], object]:
        """A function that parses one text as one sentence with the present weights."""
        model = self.parser.model.freeze()
        tokens = AttributeTable([text.doc(self.parser.vocab)], self.attributes)
        sentence = tokens.sentence(None)
        return lambda: self.parser.parser.search.parse(model, [sentence])


def group_of(length: int) -> int:
    """The group of a sentence: the smallest upper end, or 0 for longer sentences."""
    return next((end for end in GROUPS if length <= end), 0)


def training_table(
    times: dict[str, list[dict[int, tuple[float, int]]]], exploring_from: int
) -> Table:
    """A table of the microseconds per word by length of the sentence, and the ratio of
    the time of a whole epoch to that of the first system.
    """
    title = f"Training: µs of CPU per word, median of epochs from {exploring_from} on"
    table = Table(title=title)
    table.add_column("system")
    for end in (*map(str, GROUPS), f"> {GROUPS[-1]}"):
        label = end if end.startswith(">") else f"<= {end}"
        table.add_column(f"{label} words", justify="right")
    table.add_column("epoch, s", justify="right")
    table.add_column("ratio", justify="right")
    epochs = {
        name: statistics.median(
            sum(seconds for seconds, _ in epoch.values()) for epoch in of_system
        )
        for name, of_system in times.items()
    }
    base = next(iter(epochs.values()))
    for name, of_system in times.items():
        cells = []
        for group in (*GROUPS, 0):
            rates = [epoch[group][0] / max(epoch[group][1], 1) for epoch in of_system]
            cells.append(f"{MICRO * statistics.median(rates):.2f}")
        ratio = epochs[name] / base if base else 0.0
        table.add_row(name, *cells, f"{epochs[name]:.2f}", f"{ratio:.2f}")
    return table


def parsing_table(times: dict[str, dict[int, float]], lengths: list[int]) -> Table:
    """A table of the microseconds per word by length of the text, and the ratio of the
    times at two lengths whose own ratio is nearest to ten.
    """
    table = Table(title="Parsing one text as one sentence: µs of CPU per word")
    table.add_column("system")
    for length in lengths:
        table.add_column(f"{length:,} words", justify="right")
    pairs = [(a, b) for a in lengths for b in lengths if b == 10 * a]
    for a, b in pairs:
        table.add_column(f"time at {b:,} / {a:,}", justify="right")
    for name, of_system in times.items():
        cells = [f"{MICRO * of_system[n] / n:.2f}" for n in lengths]
        ratios = [f"{of_system[b] / max(of_system[a], 1e-9):.1f}" for a, b in pairs]
        table.add_row(name, *cells, *ratios)
    return table


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language of the tokenizer.")] = "en",
    epochs: Annotated[int, typer.Option(min=2, help="Epochs of training.")] = 4,
    length: Annotated[
        list[int] | None, typer.Option(min=1, help="Words of a text; repeatable.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Timed runs of each parse.")] = 5,
    seed: Annotated[int, typer.Option(help="Seeds the order of sentences.")] = 1,
) -> None:
    """Time training and parsing of every projective system, taking turns."""
    lengths = sorted(length or LENGTHS)
    texts = read_texts(treebank, seed)
    total = len(MEASURED) * (1 + epochs + len(lengths) * (repeats + 1))
    training: dict[str, list[dict[int, tuple[float, int]]]] = {n: [] for n in MEASURED}
    parsing: dict[str, dict[int, float]] = {name: {} for name in MEASURED}
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Preparing", total=total)
        contestants = []
        for name in MEASURED:
            contestants.append(Contestant.prepare(name, treebank, lang, seed))
            bar.advance(task)
        bar.update(task, description="Training")
        for iteration in range(1, epochs + 1):
            for contestant in contestants:
                times = contestant.train(iteration, seed)
                if iteration >= EXPLORING:
                    training[contestant.name].append(times)
                bar.advance(task)
        bar.update(task, description="Parsing")
        for words in lengths:
            text = join(repeated(texts, words), words)
            runs = [contestant.parsing(text) for contestant in contestants]
            found: dict[str, list[float]] = {name: [] for name in MEASURED}
            for repeat in range(repeats + 1):
                for contestant, run in zip(contestants, runs, strict=True):
                    seconds = measure(run).cpu
                    if repeat:
                        found[contestant.name].append(seconds)
                    bar.advance(task)
            for name, values in found.items():
                parsing[name][words] = statistics.median(values)
    console = Console(width=120)
    console.print(training_table(training, EXPLORING))
    console.print(parsing_table(parsing, lengths))


if __name__ == "__main__":
    app()
