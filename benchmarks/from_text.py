"""Comparison of the shipped pipelines with spaCy's, on raw text and on gold tokens.

Run it as `python -m benchmarks.from_text` or `python benchmarks/from_text.py`, with
`--help` for the options. README.md beside this file explains the tables.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import spacy
import srsly
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import treebank_file
from benchmarks.memory import ROOT
from benchmarks.new_text import WARM_UP
from benchmarks.running import consume, forget_forms
from benchmarks.steps import Step, command
from benchmarks.timing import ONE, Summary, measure
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.cli.options import key_and_value
from spacy_dynoracle.evaluation import evaluate_text
from spacy_dynoracle.evaluation.conll2018 import score_set_values
from spacy_dynoracle.evaluation.texts import text_of, with_annotation
from spacy_dynoracle.treebank import read_conllu, to_doc
from spacy_dynoracle.treebank.text import paragraphs
from spacy_dynoracle.util.files import replace_file

SPACY = "spacy"
CONFIGS = {name: f"configs/{name}.cfg" for name in ("fast", "accurate")}
SPACY_PIPELINE = "tagger,morphologizer,trainable_lemmatizer,parser,senter"
MEASURES = (
    "Sentences", "UPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "MLAS",
)  # fmt: skip
TEXT, GOLD = "raw text", "gold tokens and sentences"
SENTENCES_PER_DOC = 10
ROUNDS = 3

Treebanks = Annotated[
    list[str],
    typer.Argument(
        help="Names of treebanks with their languages, as UD_English-EWT:en."
    ),
]
Work = Annotated[
    Path,
    typer.Option(
        help="Directory for corpora and models; what is there is not made again."
    ),
]
Source = Annotated[
    Path, typer.Option("--treebanks", help="Directory of the treebanks.")
]
SetOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A further option of 'spacy train' for one pipeline, such as "
        "fast:paths.clusters=clusters.tsv. May be repeated.",
    ),
]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class Plan:
    """The files of one treebank, and the steps that make them.

    Attributes:
        treebank: Its name.
        lang: The language of the pipelines.
        source: The directory of the treebanks.
        work: The directory of the files.
        options: Further options of `spacy train`, by the name of the pipeline.
    """

    treebank: str
    lang: str
    source: Path
    work: Path
    options: Mapping[str, Mapping[str, str]]

    @property
    def directory(self) -> Path:
        """The directory of the treebank's files."""
        return self.work / self.treebank

    @property
    def test(self) -> Path:
        """The test file."""
        return treebank_file(self.source / self.treebank, "test")

    def corpus(self, split: str) -> Path:
        """A split in spaCy's format, in documents of several sentences."""
        return self.directory / "corpus" / f"{split}.spacy"

    def output(self, pipeline: str, seed: int) -> Path:
        """The directory of the models of one training."""
        return self.directory / f"{pipeline}-{seed}"

    def model(self, pipeline: str, seed: int) -> Path:
        """A trained pipeline."""
        kind = "model-best" if pipeline == SPACY else "model-last"
        return self.output(pipeline, seed) / kind

    def steps(self, pipeline: str, seed: int) -> Iterator[Step]:
        """The steps that train a pipeline."""
        train, dev = self.corpus("train"), self.corpus("dev")
        yield Step(
            train,
            command(
                "scripts/prepare.py",
                self.treebank,
                train.parent,
                **{"treebanks": self.source, "n-sents": SENTENCES_PER_DOC},
            ),
        )
        settings: dict[str, object] = {
            "paths.train": train,
            "paths.dev": dev,
            "system.seed": seed,
            **self.options.get(pipeline, {}),
        }
        if pipeline == SPACY:
            config: Path | str = self.directory / "spacy.cfg"
            yield Step(
                Path(config),
                command(
                    "-m spacy init config --force",
                    config,
                    lang=self.lang,
                    pipeline=SPACY_PIPELINE,
                    optimize="efficiency",
                ),
            )
        else:
            config = CONFIGS[pipeline]
            settings["nlp.lang"] = self.lang
        yield Step(
            self.model(pipeline, seed),
            command(
                "-m spacy train",
                config,
                output=self.output(pipeline, seed),
                **settings,
            ),
        )


def load(path: Path, pipeline: str) -> Language:
    """Load a trained pipeline.

    spaCy's senter runs before its parser, which keeps the boundaries: that gives higher
    scores than the boundaries of the parser.

    Raises:
        CommandError: If it cannot be loaded.
    """
    try:
        nlp = spacy.load(path)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: cannot be loaded: {error}") from error
    if pipeline != SPACY:
        return nlp
    # Names of components in the order in which they are to run.
    order = [name for name in nlp.pipe_names if name not in ("senter", "parser")]
    changed = spacy.blank(nlp.lang, vocab=nlp.vocab)
    for name in [*order, "senter", "parser"]:
        changed.add_pipe(name, source=nlp)
    return changed


def gold_scores(nlp: Language, treebank: Path) -> dict[str, float]:
    """The F1 of all measures on gold tokens and gold sentences, in per cent."""
    sentences = list(read_conllu(treebank))
    docs: list[Doc] = [to_doc(s, nlp.vocab, tree=False, tags=False) for s in sentences]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i == 0
    predicted = map(with_annotation, sentences, nlp.pipe(docs))
    return percentages(score_set_values(text_of(sentences), text_of(predicted)))


def percentages(scores: Mapping[str, Any]) -> dict[str, float]:
    """The F1 of all measures, in per cent."""
    return {name: 100 * score.f1 for name, score in scores.items()}


def scored(plan: Plan, pipeline: str, seed: int) -> dict[str, dict[str, float]]:
    """The scores of a trained pipeline by condition, from a file if they are there."""
    path = plan.output(pipeline, seed) / "scores.json"
    if not path.exists():
        nlp = load(plan.model(pipeline, seed), pipeline)
        found = {
            TEXT: percentages(evaluate_text(nlp, plan.test).scores),
            GOLD: gold_scores(nlp, plan.test),
        }
        replace_file(path, srsly.json_dumps(found, indent=2).encode())
    return dict(srsly.read_json(path))


def speeds(plan: Plan, pipelines: Sequence[str], seed: int) -> dict[str, Summary]:
    """Words per second from raw text, of pipelines that take turns.

    A pipeline is loaded anew for each round, because its components remember words.
    """
    texts = [text for text, _ in paragraphs(read_conllu(plan.test))]
    rates: dict[str, list[float]] = {name: [] for name in pipelines}
    for _ in range(ROUNDS):
        for name in pipelines:
            forget_forms()
            nlp = load(plan.model(name, seed), name)
            consume(nlp.pipe([WARM_UP]))
            docs: list[Doc] = []
            time = measure(lambda nlp=nlp, docs=docs: docs.extend(nlp.pipe(texts)))  # type: ignore[misc]
            rates[name].append(sum(map(len, docs)) * (ONE / time).cpu)
    return {name: Summary.of(values) for name, values in rates.items()}


def table(
    title: str,
    found: Mapping[str, Sequence[Mapping[str, float]]],
    speed: Mapping[str, Summary],
) -> Table:
    """Mean scores over seeds, with half the range, and words per second."""
    shown = Table(title=title)
    shown.add_column("")
    for name in (*MEASURES, "words/s"):
        shown.add_column(name, justify="right")
    for pipeline, seeds in found.items():
        cells = [cell([scores.get(name) for scores in seeds]) for name in MEASURES]
        rate = speed.get(pipeline)
        cells.append("" if rate is None else f"{rate.median:,.0f}")
        shown.add_row(f"{pipeline} ({len(seeds)})", *cells)
    return shown


def cell(values: Iterable[float | None]) -> str:
    """A mean and half the range of values."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    half = (max(known) - min(known)) / 2
    return f"{mean(known):.2f}" + (f" ±{half:.2f}" if len(known) > 1 else "")


def language_of(argument: str) -> tuple[str, str]:
    """Name and language of an argument NAME:LANG.

    Raises:
        CommandError: For others.
    """
    name, _, lang = argument.partition(":")
    if not name or not lang:
        raise CommandError(
            f"{argument}: expected a treebank and its language, such as "
            f"UD_English-EWT:en"
        )
    return name, lang


def by_pipeline(set_options: Iterable[str] | None) -> dict[str, dict[str, str]]:
    """For each pipeline the options of `spacy train` that `--set` gives.

    Raises:
        CommandError: For others than PIPELINE:section.key=value.
    """
    options: dict[str, dict[str, str]] = {}
    for option in set_options or ():
        pipeline, _, setting = option.partition(":")
        if pipeline not in (*CONFIGS, SPACY):
            raise CommandError(
                f"--set {option}: expected a pipeline ({', '.join((*CONFIGS, SPACY))}) "
                "and a value, such as fast:paths.clusters=clusters.tsv"
            )
        key, value = key_and_value(setting)
        options.setdefault(pipeline, {})[key] = value
    return options


@app.command()
@one_line_errors
def main(
    treebanks: Treebanks,
    work: Work,
    source: Source = ROOT / "treebanks",
    pipelines: Annotated[
        str, typer.Option(help="Some of fast, accurate and spacy, with commas.")
    ] = "fast,accurate",
    seeds: Annotated[int, typer.Option(min=1, help="Train with seeds 1 to N.")] = 1,
    spacy_seeds: Annotated[
        int, typer.Option(min=1, help="Train spaCy's with seeds 1 to N.")
    ] = 1,
    set_options: SetOptions = None,
    output: Annotated[
        Path | None, typer.Option(help="File for the results as JSON.")
    ] = None,
) -> None:
    """Compare the shipped pipelines with spaCy's efficiency pipeline.

    Args:
        fast: Senter, tagger and greedy parser (configs/fast.cfg).
        accurate: A committee of parsers in its place (configs/accurate.cfg).
        spacy: Tagger, morphologizer, lemmatizer, parser and senter of `spacy init
            config --optimize efficiency`, trained until dev scores no longer rise. All
            are trained by `spacy train` on the same documents of ten sentences, and
            scored on the test set with the tags that they predict, by the measures of
            the CoNLL 2018 shared task.
    """
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    names = [name.strip() for name in pipelines.split(",")]
    unknown = [name for name in names if name not in (*CONFIGS, SPACY)]
    if unknown:
        raise CommandError(
            f"--pipelines {unknown[0]}: expected fast, accurate or spacy"
        )
    options = by_pipeline(set_options)
    results: dict[str, Any] = {}
    for name, lang in map(language_of, treebanks):
        plan = Plan(name, lang, source.resolve(), work.resolve(), options)
        found: dict[str, dict[str, list[dict[str, float]]]] = {TEXT: {}, GOLD: {}}
        runs = [
            (pipeline, seed)
            for pipeline in names
            for seed in range(1, 1 + (spacy_seeds if pipeline == SPACY else seeds))
        ]
        for pipeline, seed in track(runs, name, console=console):
            for step in plan.steps(pipeline, seed):
                step.run(console)
            for condition, values in scored(plan, pipeline, seed).items():
                found[condition].setdefault(pipeline, []).append(values)
        speed = speeds(plan, names, 1)
        results[name] = {
            "scores": found,
            "words per second": {key: vars(value) for key, value in speed.items()},
        }
        console.print(table(f"{name}, test, from raw text", found[TEXT], speed))
        console.print(table(f"{name}, test, {GOLD}", found[GOLD], {}))
    if output is not None:
        replace_file(output, srsly.json_dumps(results, indent=2).encode())


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.from_text")
