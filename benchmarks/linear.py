"""Comparison of this package's tagger and parser with spaCy's: accuracy and speed.

Run it as `python -m benchmarks.linear` or `python benchmarks/linear.py`, with `--help`
for the options. README.md beside this file explains the tables.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus
from spacy.vocab import Vocab

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks import report
from benchmarks.data import Text, count_words, join, read_texts, repeated
from benchmarks.memory import ROOT
from benchmarks.running import consume
from benchmarks.steps import Step, command
from benchmarks.timing import ONE, Row, Time, measure
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.parser.scorer import parser_score
from spacy_dynoracle.tagger.scorer import tagger_score

SAMPLE = ROOT / "treebanks" / "English-Harbour"
OURS, SPACY = "ours", "spaCy"
# The components that find sentences. These are given here.
SPLITTERS = {OURS: ["dynoracle_senter"], SPACY: ["senter"]}
# The measured tasks, and the components of each pipeline that a task leaves out.
TASKS = {
    "tagging": {
        OURS: [*SPLITTERS[OURS], "dynoracle_parser"],
        SPACY: [*SPLITTERS[SPACY], "parser"],
    },
    "tagging and parsing": SPLITTERS,
}
SCORES = {
    "tag_acc": "TAG",
    "pos_acc": "POS",
    "morph_acc": "MORPH",
    "dep_uas_all": "UAS",
    "dep_las_all": "LAS",
    "dep_uas": "UAS, no punctuation",
    "dep_las": "LAS, no punctuation",
}
SENTENCES_PER_DOC = (1, 10)
SENTENCES_PER_BATCH = 256

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, pretty_exceptions_show_locals=False
)


@dataclass(frozen=True)
class Plan:
    """The paths of all files, and the steps that make them.

    Attributes:
        work: Directory of the files.
        epochs: Epochs of our tagger and parser; 0 for the values in the config.
        clusters: Source of word clusters; None for none.
        features: The name of our parser's feature set; None for that of the config.
    """

    treebank: Path
    work: Path
    lang: str
    seed: int
    epochs: int
    spacy_steps: int
    clusters: str | None
    features: str | None

    def corpus(self, name: str) -> Path:
        """A file of the corpus."""
        return self.work / "corpus" / f"{name}.spacy"

    @property
    def ours(self) -> Path:
        """The directory of our trainings."""
        return self.work / ("fast" if self.features is None else self.features)

    @property
    def models(self) -> dict[str, Path]:
        """The trained pipelines."""
        return {
            OURS: self.ours / "model-last",
            SPACY: self.work / "spacy" / "model-best",
        }

    def steps(self) -> Iterator[Step]:
        """All steps, in the order in which to run them."""
        train = self.corpus("train")
        config = self.work / "spacy" / "config.cfg"
        of_spacy = {
            "corpora.train.gold_preproc": "true",
            "corpora.dev.gold_preproc": "true",
            "training.max_steps": self.spacy_steps,
            "training.eval_frequency": max(1, self.spacy_steps // 6),
            "training.patience": 0,
        }
        ours: dict[str, Any] = {"nlp.lang": self.lang}
        if self.epochs:
            ours["training.max_epochs"] = self.epochs
        yield Step(
            train,
            command(
                "scripts/prepare.py",
                self.treebank.name,
                train.parent,
                **{"treebanks": self.treebank.parent, "n-sents": 5},
            ),
        )
        if self.clusters is not None:
            ours["paths.clusters"] = self.clusters
        if self.features is not None:
            block = {"@misc": f"spacy_dynoracle.{self.features}"}
            ours["components.dynoracle_parser.features"] = json.dumps(block)
        training = self._train("configs/fast.cfg", self.ours.name, train, ours)
        yield Step(self.models[OURS], training)
        yield Step(
            config,
            command(
                "-m spacy init config",
                config,
                lang=self.lang,
                pipeline="tagger,morphologizer,parser",
                optimize="efficiency",
            ),
        )
        yield Step(self.models[SPACY], self._train(config, "spacy", train, of_spacy))

    def _train(
        self, config: str | Path, name: str, train: Path, settings: dict[str, Any]
    ) -> list[str]:
        return command(
            "-m spacy train",
            config,
            output=self.work / name,
            **{
                "paths.train": train,
                "paths.dev": self.corpus("dev"),
                "system.seed": self.seed,
                **settings,
            },
        )


def load(path: Path) -> Language:
    """Load a trained pipeline.

    Raises:
        CommandError: If it cannot be loaded.
    """
    try:
        return spacy.load(path)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: cannot be loaded: {error}") from error


def scores(nlp: Language, path: Path) -> dict[str, float | None]:
    """The scores of a pipeline on gold sentences and gold tokens, in per cent.

    The sentences are given, so no sentence may be cut.
    """
    examples = list(Corpus(path, gold_preproc=True)(nlp))
    docs = [example.predicted for example in examples]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i == 0
    # `Language.evaluate` would parse copies of the Docs.
    parsed = nlp.pipe(docs, batch_size=SENTENCES_PER_BATCH)
    for example, doc in zip(examples, parsed, strict=True):
        example.predicted = doc
    # The same conventions hold for both pipelines.
    found = tagger_score(examples) | parser_score(examples)
    return {key: None if found.get(key) is None else 100 * found[key] for key in SCORES}


def bare_docs(texts: list[Text], size: int, vocab: Vocab) -> Iterator[Doc]:
    """Documents of `size` sentences with words and sentence starts alone."""
    for i in range(0, len(texts), size):
        some = texts[i : i + size]
        starts = [number == 0 for text in some for number in range(len(text.words))]
        whole = join(some)
        yield Doc(vocab, whole.words, whole.spaces, sent_starts=starts)


class Speed:
    """Measures the words per second of both pipelines, which take turns in each
    round.
    """

    def __init__(self, models: dict[str, Language], texts: list[Text]) -> None:
        self.models = models
        self.texts = texts
        self.times: dict[tuple[str, str, int], list[Time]] = {}

    def round(self, keep: bool) -> None:
        """Run everything once.

        Args:
            keep: False for a warm-up.
        """
        for size in SENTENCES_PER_DOC:
            for task, left_out in TASKS.items():
                for name, nlp in self.models.items():
                    time = measure(self._prepared(nlp, left_out[name], size))
                    if keep:
                        self.times.setdefault((task, name, size), []).append(time)

    def _prepared(
        self, nlp: Language, disable: Iterable[str], size: int
    ) -> Callable[[], None]:
        docs = list(bare_docs(self.texts, size, nlp.vocab))
        disable = [name for name in disable if name in nlp.pipe_names]
        batch_size = max(1, SENTENCES_PER_BATCH // size)

        def run() -> None:
            consume(nlp.pipe(docs, disable=disable, batch_size=batch_size))

        return run

    def rows(self) -> Iterator[Row]:
        """The rows with words per second and with the ratios of each round."""
        n_words = count_words(self.texts)
        for task in TASKS:
            for size in SENTENCES_PER_DOC:
                where = {"sentences_per_doc": size, "words": n_words}
                for name in self.models:
                    rates = [ONE * n_words / t for t in self.times[task, name, size]]
                    title = f"{task}, {name}"
                    yield Row.of_times("speed", title, "words/s", rates, **where)
                ours, theirs = (self.times[task, name, size] for name in (OURS, SPACY))
                ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
                yield Row.of_times("speed", f"{task}, ratio", "times", ratios, **where)


def show_scores(console: Console, found: dict[str, dict[str, float | None]]) -> None:
    """Print the accuracy of both pipelines."""
    table = Table(title="Accuracy on test, gold sentences and tokens")
    table.add_column("")
    for name in found:
        table.add_column(name, justify="right")
    for key, title in SCORES.items():
        values = [scores[key] for scores in found.values()]
        table.add_row(title, *("" if v is None else f"{v:.2f}" for v in values))
    console.print(table)


@app.command()
@one_line_errors
def main(
    work: Annotated[
        Path,
        typer.Option(
            help="Directory for corpora and models; what is there is not made again."
        ),
    ],
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.conllu.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language.")] = "en",
    epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of our models; 0: as in the configs.")
    ] = 0,
    spacy_steps: Annotated[
        int, typer.Option(min=1, help="At most so many training steps of spaCy's.")
    ] = 3000,
    words: Annotated[int, typer.Option(min=1, help="Words of a timed run.")] = 25_000,
    repeats: Annotated[int, typer.Option(min=1, help="Runs after a warm-up.")] = 5,
    seed: Annotated[int, typer.Option(help="Seeds training and order.")] = 1,
    clusters: Annotated[
        str | None, typer.Option(help="Word clusters, as paths.clusters.")
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(help="Feature set of our parser, such as ZhangNivre2011.v1."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Compare the all-linear pipeline with spaCy's efficiency pipeline.

    Ours: dynoracle_tagger, and dynoracle_parser on its tags. spaCy's: tagger,
    morphologizer and parser of `spacy init config --optimize efficiency`. Both are
    trained by `spacy train` on the same corpus and measured on the same documents, with
    the tags that they predict.
    """
    console = Console()
    if not console.is_terminal:
        console = Console(width=100)
    plan = Plan(
        treebank.resolve(),
        work.resolve(),
        lang,
        seed,
        epochs,
        spacy_steps,
        clusters,
        features,
    )
    plan.work.mkdir(parents=True, exist_ok=True)
    for step in plan.steps():
        step.run(console)
    models = {name: load(path) for name, path in plan.models.items()}
    test = plan.corpus("test")
    found = {name: scores(nlp, test) for name, nlp in models.items()}
    speed = Speed(models, repeated(read_texts(plan.treebank, seed), words))
    for number in range(repeats + 1):
        speed.round(keep=number > 0)
    rows = list(speed.rows())
    rows += [
        Row("accuracy", f"{name}, {title}", "%", value=values[key])
        for name, values in found.items()
        for key, title in SCORES.items()
        if values[key] is not None
    ]
    settings = report.conditions() | {
        "treebank": plan.treebank.name,
        "spaCy's training": f"at most {spacy_steps} steps, the best on dev",
        "repeats": f"{repeats} after a warm-up",
        "batches": f"of {SENTENCES_PER_BATCH} sentences",
        "seed": str(seed),
    }
    report.show(console, settings, [row for row in rows if row.table == "speed"])
    show_scores(console, found)
    if output is not None:
        report.write(output, settings, rows)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.linear")
