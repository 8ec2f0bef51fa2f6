"""The cost of probabilities in training and in parsing.

Run it as `python -m benchmarks.probabilities` or `python benchmarks/probabilities.py`,
with `--help` for the options. README.md beside this file explains the tables.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import count_words, read_texts, repeated
from benchmarks.memory import ROOT, in_new_process
from benchmarks.pipelines import LEARNERS, load, the_parser
from benchmarks.running import SENTENCES_PER_BATCH, consume
from benchmarks.timing import measure
from spacy_dynoracle.cli.common import CommandError, one_line_errors

SAMPLE = ROOT / "treebanks" / "English-Harbour"
BASE, PROBABILISTIC = LEARNERS
# The values of the setting, from the cheapest to the most expensive.
# The values of the setting, by what the table calls them.
SETTINGS = {
    "none": None,
    "transition": {"@misc": "spacy_dynoracle.TransitionProbabilities.v1"},
    "marginal": {"@misc": "spacy_dynoracle.MarginalProbabilities.v1"},
}
MEGABYTE = 1 << 20

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Trained:
    """The time and memory of training a pipeline in a separate process.

    Attributes:
        learning, updating: CPU seconds of the learner alone and of all of `nlp.update`,
            over all epochs.
        memory: Peak above the loaded corpus, in bytes.
        n_parameters: Number of weights of the saved model.
    """

    def __init__(self, reports: list[dict[str, Any]], model: Path) -> None:
        epochs = [report for report in reports if "learning" in report]
        self.learning = sum(report["learning"]["cpu"] for report in epochs)
        self.updating = sum(report["updating"]["cpu"] for report in epochs)
        self.memory = reports[-1]["saving"]
        trained = the_parser(load(model)).model
        assert trained is not None
        weights: Any = trained.freeze().weights
        self.n_parameters = weights.n_parameters


def training_table(found: dict[str, Trained]) -> Table:
    """A table of the time and memory of training with each learner, and the ratios to
    the first.
    """
    table = Table(title="Training, one process for each learner")
    for column in ("learner", "learning, CPU s", "nlp.update, CPU s", "peak, MB"):
        table.add_column(column, justify="left" if column == "learner" else "right")
    table.add_column("weights", justify="right")
    base = found[BASE]
    for name, trained in found.items():
        table.add_row(
            name,
            _with_ratio(trained.learning, base.learning),
            _with_ratio(trained.updating, base.updating),
            _with_ratio(trained.memory / MEGABYTE, base.memory / MEGABYTE),
            _with_ratio(trained.n_parameters, base.n_parameters),
        )
    table.caption = "In brackets: ratio to the perceptron. Peak: above the corpus."
    return table


def _with_ratio(value: float, base: float) -> str:
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return f"{shown} ({value / base:.2f})" if base else shown


def parsing_table(times: dict[str, list[float]], n_words: int) -> Table:
    """A table of the words per second with each value of the setting, and the ratio of
    its time to that of the first value.
    """
    table = Table(title=f"nlp.pipe, {n_words:,} words, one sentence per Doc")
    table.add_column("probabilities")
    table.add_column("words/s", justify="right")
    table.add_column("time: median ratio (min - max)", justify="right")
    for name, seconds in times.items():
        ratios = [a / b for a, b in zip(seconds, times["none"], strict=True)]
        table.add_row(
            name,
            f"{n_words / statistics.median(seconds):,.0f}",
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})",
        )
    return table


def pipes(model: Path, treebank: Path, words: int, seed: int) -> tuple[Any, int]:
    """Functions that run `nlp.pipe` with each value of the setting, and the number of
    words that they parse.
    """
    texts = repeated(read_texts(treebank, seed), words)
    found: dict[str, Callable[[], object]] = {}
    for name, value in SETTINGS.items():
        nlp = load(model, probabilities=value)
        docs = [text.doc(nlp.vocab) for text in texts]
        found[name] = lambda nlp=nlp, docs=docs: consume(
            nlp.pipe(docs, batch_size=SENTENCES_PER_BATCH)
        )
    return found, count_words(texts)


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.")
    ] = SAMPLE,
    model: Annotated[
        Path | None,
        typer.Option(
            help="A pipeline with probabilities to parse with, instead of the one that "
            "is trained."
        ),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of the tokenizer.")] = "en",
    epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of training; 0: none, with --model.")
    ] = 3,
    words: Annotated[int, typer.Option(min=1, help="Words to parse.")] = 20_000,
    repeats: Annotated[int, typer.Option(min=1, help="Timed runs of each parse.")] = 5,
    seed: Annotated[int, typer.Option(help="Seeds the order of sentences.")] = 1,
) -> None:
    """Time and memory of probabilities, against the same without them."""
    if model is None and epochs == 0:
        raise CommandError("--epochs 0: nothing to parse with; name a --model")
    console = Console(width=100)
    n_steps = len(LEARNERS) * (epochs + 2) * (epochs > 0) + 3 * (repeats + 1)
    with (
        Progress(console=Console(stderr=True)) as bar,
        tempfile.TemporaryDirectory() as scratch,
    ):
        task = bar.add_task("Training", total=n_steps)
        trained = {}
        for learner in LEARNERS if epochs else ():
            output = Path(scratch) / learner
            reports = []
            for report in in_new_process(
                "train",
                treebank=str(treebank),
                lang=lang,
                seed=seed,
                epochs=epochs,
                output=str(output),
                learner=learner,
            ):
                reports.append(report)
                bar.advance(task)
            trained[learner] = Trained(reports, output)
        chosen = model or Path(scratch) / PROBABILISTIC
        bar.update(task, description="Parsing")
        runs, n_words = pipes(chosen, treebank, words, seed)
        times: dict[str, list[float]] = {name: [] for name in runs}
        for repeat in range(repeats + 1):
            for name, run in runs.items():
                seconds = measure(run).cpu
                if repeat:
                    times[name].append(seconds)
                bar.advance(task)
    if trained:
        console.print(training_table(trained))
    console.print(parsing_table(times, n_words))


if __name__ == "__main__":
    app()
