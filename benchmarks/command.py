"""The command line of the speed benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import spacy
import typer
from rich.console import Console

from spacy_dynoracle.cli.common import CommandError, one_line_errors

from . import report
from .data import count_words, cut_treebank, read_texts, repeated, treebank_file
from .latency import latency_rows, scaling_rows
from .memory import ROOT, in_new_process
from .pipelines import blank, load, parser_name, the_parser
from .progress import Steps
from .rivals import Rivals
from .running import SENTENCES_PER_BATCH, SpeedRuns, accuracy, runners
from .timing import Row, Time, measure

SAMPLE = ROOT / "treebanks" / "English-Harbour"
MEGA = 1e6
# Single documents of each length, for each of the repeats.
N_DOCS = 100


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Attributes:
        duration: How long that takes on one processor.
        train_words: Words of the train file that are used; 0 for all.
    """

    duration: str
    words: int
    repeats: int
    spacy_steps: int
    train_words: int
    long: tuple[int, ...]


FULL = Size(
    "about a quarter of an hour with UD_English-EWT; --quick takes about two minutes",
    20_000,
    5,
    1000,
    0,
    (1_000, 10_000, 100_000),
)
QUICK = Size("about two minutes", 3_000, 3, 80, 20_000, (1_000, 10_000))

app = typer.Typer(add_completion=False, rich_markup_mode=None)


class Benchmark:
    """One run of the command, with its settings and the rows so far."""

    def __init__(
        self, treebank: Path, words: int, repeats: int, seed: int, steps: Steps
    ) -> None:
        self.treebank = treebank
        self.words = words
        self.repeats = repeats
        self.seed = seed
        self.steps = steps
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
        task = self.steps.begin("Training dynoracle_parser", epochs + 2)
        found = []
        for measured in reports:
            found.append(measured)
            task()
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

    def speed(self, rivals: Rivals) -> None:
        """Measure the words per second of all contestants, and their accuracy."""
        contestants = runners(rivals.nlp, rivals.spacy_nlp, rivals.udpipe)
        runs = SpeedRuns(contestants, self.texts, self.words)
        task = self.steps.begin("Parsing", runs.n_runs * (self.repeats + 1))
        for number in range(self.repeats + 1):
            for _ in runs.round(keep=number > 0):
                task()
        self.rows += runs.rows()
        self.rows += runs.counters()
        texts = repeated(self.texts, self.words)
        n_words = count_words(texts)
        for name, trees in rivals.trees(texts).items():
            for score, value in zip(
                ("UAS", "LAS"), accuracy(texts, trees), strict=True
            ):
                what = f"{name}, {score} of dev + test"
                self.rows.append(Row("accuracy", what, "%", value=value, words=n_words))
        self.steps.begin("Single documents")
        n_docs = N_DOCS * self.repeats
        self.rows += latency_rows(rivals.one_by_one(), self.texts, n_docs)
        self.steps.begin("Threads and processes")
        self.rows += scaling_rows(rivals.nlp, runs.loads[1], self.repeats)

    def memory(self, model: Path, long: list[int]) -> None:
        """Measure the peak memory of parsing."""
        arguments = {"model": str(model), "treebank": str(self.treebank)}
        sizes = [("stream", self.words), ("stream", 4 * self.words)]
        sizes += [("long", words) for words in long]
        task = self.steps.begin("Memory", len(sizes))
        for kind, words in sizes:
            reports = in_new_process(kind, seed=self.seed, words=words, **arguments)
            (peaks,) = reports
            task()
            if kind == "stream":
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
        task = self.steps.begin("Loading", len(loads) * (self.repeats + 1))
        for what, run in loads.items():
            times = []
            for number in range(self.repeats + 1):
                time = measure(run) * 1e3
                if number:
                    times.append(time)
                task()
            self.rows.append(Row.of_times("model", what, "ms", times))


def disk_size(path: Path) -> int:
    """The size in bytes of a file, or of all files below a directory."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


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
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Small sizes and short training: two minutes."),
    ] = False,
    words: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Words of the small run, by default 20,000; the large one has 4 "
            "times.",
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Runs after a warm-up, by default 5.")
    ] = None,
    epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of training; 0 for none, with --model.")
    ] = 5,
    long: Annotated[
        list[int] | None,
        typer.Option(
            min=1, help="Words of long Docs, for memory; by default 1,000 to 100,000."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seeds training and order.")] = 0,
    lang: Annotated[str, typer.Option(help="Language, without --model.")] = "en",
    skip_spacy: Annotated[
        bool, typer.Option("--skip-spacy", help="Leave out spaCy's own parser.")
    ] = False,
    spacy_steps: Annotated[
        int | None,
        typer.Option(min=1, help="Training steps of spaCy's parser, by default 1,000."),
    ] = None,
    udpipe_iterations: Annotated[
        int, typer.Option(min=0, help="Epochs of UDPipe's parser; 0 leaves it out.")
    ] = 2,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Measure speed, memory, training time and model size of dynoracle_parser beside
    spaCy's parser and, if ufal.udpipe is installed, UDPipe's.

    Speeds are those of one thread. Compare numbers of one run with each other. With
    --quick, all parsers are trained on the first 20,000 words of the train file.
    """
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise CommandError(f"--output {output}: not a file in an existing directory")
    if model is None and epochs == 0:
        raise CommandError("--epochs 0 needs a --model that is trained already")
    for split in ("train", "dev", "test"):
        treebank_file(treebank, split)
    size = QUICK if quick else FULL
    spacy_steps = 0 if skip_spacy else spacy_steps or size.spacy_steps
    repeats = repeats or size.repeats
    lang = blank(lang).lang if model is None else str(load(model).lang)
    with Steps.shown(size.duration) as steps, TemporaryDirectory() as directory:
        work = Path(directory)
        if size.train_words:
            treebank = cut_treebank(treebank, work, size.train_words)
        benchmark = Benchmark(treebank, words or size.words, repeats, seed, steps)
        if epochs:
            benchmark.train(lang, epochs, work / "model")
        measured = work / "model" if model is None else model
        benchmark.memory(measured, long or list(size.long))
        benchmark.model(measured)
        rivals = Rivals.trained(
            treebank, load(measured), spacy_steps, udpipe_iterations, seed, work, steps
        )
        benchmark.speed(rivals)
    settings = report.conditions() | {
        "treebank": treebank.resolve().name,
        "documents": "sentences of dev + test in random order, repeated; tags preset",
        "parser": report.describe(the_parser(rivals.nlp)),
        "its training": f"here, {epochs} epochs" if model is None else f"{model}",
        **rivals.descriptions(spacy_steps, udpipe_iterations),
        "training words": f"the first {size.train_words:,}"
        if size.train_words
        else "all of the train file",
        "threads": "one, except for the scaling",
        "repeats": f"{repeats} after a warm-up",
        "batches": f"of {SENTENCES_PER_BATCH} sentences",
        "counters": "of the processor"
        if any(row.table == "counters" for row in benchmark.rows)
        else "this machine has none",
        "seed": str(seed),
    }
    finish(benchmark.rows, settings, output)


def finish(rows: list[Row], settings: dict[str, str], output: Path | None) -> None:
    """Print the rows, and write them to a file."""
    rows = sorted(rows, key=lambda row: list(report.TITLES).index(row.table))
    console = Console()
    if not console.is_terminal:
        console = Console(width=100)
    report.show(console, settings, rows)
    if output is not None:
        report.write(output, settings, rows)
