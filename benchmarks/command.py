"""The command line of the speed benchmark."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import spacy
import typer
from rich.console import Console
from rich.progress import Progress
from spacy.language import Language

from spacy_dynoracle.cli.common import CommandError, one_line_errors

from . import report
from .data import count_words, read_texts, repeated
from .memory import ROOT, in_new_process
from .pipelines import blank, load, parser_name, the_parser, train_spacy
from .running import PIPE, SENTENCES_PER_BATCH, SPACY, SpeedRuns, runners, uas
from .timing import Row, Time, measure

SAMPLE = ROOT / "treebanks" / "English-Harbour"
MEGA = 1e6

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)


class Benchmark:
    """One run of the command, with its settings and the rows so far."""

    def __init__(
        self, treebank: Path, words: int, repeats: int, seed: int, bar: Progress
    ) -> None:
        self.treebank = treebank
        self.words = words
        self.repeats = repeats
        self.seed = seed
        self.bar = bar
        self.texts = read_texts(treebank, seed)
        self.rows: list[Row] = []

    def train(self, lang: str, epochs: int, output: Path) -> None:
        """Measure the time and memory of training, and save the trained pipeline."""
        reports = in_new_process(
            "train",
            treebank=str(self.treebank),
            lang=lang,
            seed=self.seed,
            epochs=epochs,
            output=str(output),
        )
        found = list(self.bar.track(reports, epochs + 2, description="Training"))
        initialize, peaks = found[0], found[-1]
        learning = [Time(**report["learning"]) for report in found[1:-1]]
        updating = [Time(**report["updating"]) for report in found[1:-1]]
        overhead = [
            ((b - a) / a) * 100 for a, b in zip(learning, updating, strict=True)
        ]
        times = {"nlp.initialize": [Time(**initialize["initialize"])]}
        times["first epoch, learning itself"] = learning[:1]
        times["first epoch, nlp.update"] = updating[:1]
        times["later epochs, learning itself"] = learning[1:]
        times["later epochs, nlp.update"] = updating[1:]
        for name, values in times.items():
            if values:
                self.rows.append(Row.of_times("training", name, "s", values))
        name = "nlp.update above learning"
        self.rows.append(Row.of_times("training", name, "%", overhead))
        for name, key in (
            ("training, above the loaded corpus", "training"),
            ("training and saving, above the loaded corpus", "saving"),
            ("training and saving, whole process", "process"),
        ):
            self._memory(name, peaks[key])

    def speed(self, nlp: Language, spacy_nlp: Language | None) -> None:
        """Measure the words per second of all contestants."""
        runs = SpeedRuns(runners(nlp, spacy_nlp), self.texts, self.words)
        task = self.bar.add_task("Parsing", total=runs.n_runs * (self.repeats + 1))
        for number in range(self.repeats + 1):
            for _ in runs.round(keep=number > 0):
                self.bar.advance(task)
        self.rows += runs.rows()
        texts = repeated(self.texts, self.words)
        n_words = count_words(texts)
        for name, pipeline in ((PIPE, nlp), (SPACY, spacy_nlp)):
            if pipeline is not None:
                what = f"{name}, UAS of dev + test"
                score = uas(pipeline, texts)
                self.rows.append(Row("accuracy", what, "%", value=score, words=n_words))

    def memory(self, model: Path, long: list[int]) -> None:
        """Measure the peak memory of parsing."""
        arguments = {"model": str(model), "treebank": str(self.treebank)}
        sizes = [("stream", self.words), ("stream", 4 * self.words)]
        sizes += [("long", words) for words in long]
        for task, words in self.bar.track(sizes, description="Memory"):
            reports = in_new_process(task, seed=self.seed, words=words, **arguments)
            (peaks,) = reports
            if task == "stream":
                name = "nlp.pipe of a stream, above the loaded model"
                self._memory(name, peaks["parsing"], words)
                name = "nlp.pipe of a stream, whole process"
                self._memory(name, peaks["process"], words)
            else:
                name = "one long Doc, beside the Doc"
                per_word = peaks["parsing"] / words
                row = Row("memory", name, "bytes/word", value=per_word, words=words)
                self.rows.append(row)

    def _memory(self, name: str, n_bytes: int, words: int | None = None) -> None:
        self.rows.append(Row("memory", name, "MB", value=n_bytes / MEGA, words=words))

    def model(self, model: Path) -> None:
        """Measure the size of a model on disk and the time to load it."""
        name, _ = parser_name(model)
        directory = model / name
        sizes = {
            "size of the parser's model file": directory / "model",
            "size of the parser's directory": directory,
            "size of the whole pipeline": model,
        }
        for what, path in sizes.items():
            value = disk_size(path) / MEGA
            self.rows.append(Row("model", what, "MB", value=value))
        nlp = load(model)
        parser = the_parser(nlp)
        loads = {
            "loading the parser (from_disk)": lambda: parser.from_disk(directory),
            "loading the pipeline (spacy.load)": lambda: spacy.load(model),
        }
        task = self.bar.add_task("Loading", total=len(loads) * (self.repeats + 1))
        for what, run in loads.items():
            times = []
            for number in range(self.repeats + 1):
                time = measure(run) * 1e3
                if number:
                    times.append(time)
                self.bar.advance(task)
            self.rows.append(Row.of_times("model", what, "ms", times))


def disk_size(path: Path) -> int:
    """The size in bytes of a file, or of all files below a directory."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


@contextmanager
def progress() -> Iterator[Progress]:
    """Make a progress bar on stderr, which is shown if stderr is a terminal."""
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield bar


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.conllu.")
    ] = SAMPLE,
    model: Annotated[
        Path | None,
        typer.Option(help="Trained pipeline; without it, the one trained here."),
    ] = None,
    words: Annotated[
        int,
        typer.Option(min=1, help="Words of the small run; the large one has 4 times."),
    ] = 20_000,
    repeats: Annotated[int, typer.Option(min=1, help="Runs after a warm-up.")] = 5,
    epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of training; 0 for none, with --model.")
    ] = 5,
    long: Annotated[
        list[int], typer.Option(min=1, help="Words of long Docs, for memory.")
    ] = [1_000, 10_000, 100_000],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Seeds training and order.")] = 0,
    lang: Annotated[str, typer.Option(help="Language, without --model.")] = "en",
    skip_spacy: Annotated[
        bool, typer.Option("--skip-spacy", help="Leave out spaCy's own parser.")
    ] = False,
    spacy_steps: Annotated[
        int, typer.Option(min=1, help="Training steps of spaCy's own parser.")
    ] = 300,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Measure speed, memory, training time and model size of dynoracle_parser.

    Everything runs on one thread. Compare numbers of one run with each other.
    """
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise CommandError(f"--output {output}: not a file in an existing directory")
    if model is None and epochs == 0:
        raise CommandError("--epochs 0 needs a --model that is trained already")
    lang = blank(lang).lang if model is None else str(load(model).lang)
    with progress() as bar, tempfile.TemporaryDirectory() as directory:
        benchmark = Benchmark(treebank, words, repeats, seed, bar)
        trained = Path(directory) / "model"
        if epochs:
            benchmark.train(lang, epochs, trained)
        measured = trained if model is None else model
        benchmark.memory(measured, long)
        benchmark.model(measured)
        nlp = load(measured)
        spacy_nlp = None
        if not skip_spacy:
            task = bar.add_task("Training spaCy's parser", total=spacy_steps)
            spacy_nlp = train_spacy(
                treebank, lang, nlp.vocab, spacy_steps, seed, lambda: bar.advance(task)
            )
        benchmark.speed(nlp, spacy_nlp)
    settings = report.conditions() | {
        "treebank": treebank.resolve().name,
        "documents": "sentences of dev + test in random order, repeated; tags preset",
        "parser": report.describe(the_parser(nlp)),
        "its training": f"here, {epochs} epochs" if model is None else f"{model}",
        "spaCy's parser": "left out"
        if spacy_nlp is None
        else f"init config --optimize efficiency: {', '.join(spacy_nlp.pipe_names)}; "
        f"trained only briefly, {spacy_steps} batches of 1000 words",
        "threads": "one",
        "repeats": f"{repeats} after a warm-up",
        "batches": f"of {SENTENCES_PER_BATCH} sentences",
        "seed": str(seed),
    }
    rows = sorted(benchmark.rows, key=lambda row: list(report.TITLES).index(row.table))
    console = Console()
    if not console.is_terminal:
        console = Console(width=100)
    report.show(console, settings, rows)
    if output is not None:
        report.write(output, settings, rows)
