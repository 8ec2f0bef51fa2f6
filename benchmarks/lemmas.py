"""Accuracy, speed and size of lemmatizers: ours, a dictionary and spaCy's.

Run it as `python -m benchmarks.lemmas` or `python benchmarks/lemmas.py`, with `--help`
for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import spacy
import srsly
import typer
from rich.console import Console
from rich.table import Table
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.command import disk_size
from benchmarks.data import treebank_file
from benchmarks.from_text import Plan, Source, Treebanks, Work, language_of
from benchmarks.memory import ROOT
from benchmarks.running import consume
from benchmarks.steps import Step, command
from benchmarks.timing import measure
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.treebank import multiword, read_conllu, to_doc

OURS, DICTIONARY, SPACY = "ours", "dictionary", "spacy"
TAGGER, LEMMATIZER = "dynoracle_tagger", "dynoracle_lemmatizer"
PIPELINES = {OURS: f"{TAGGER},{LEMMATIZER}", SPACY: "trainable_lemmatizer"}
# The components of a pipeline beside its lemmatizer.
BESIDE = {OURS: [TAGGER], SPACY: []}
MODELS = {OURS: "model-last", SPACY: "model-best"}
# What the lemmatizers may read.
ATTRIBUTES = ["ORTH", "NORM", "SPACY", "SENT_START", "TAG", "POS", "MORPH"]
ROUNDS = 3

app = typer.Typer(add_completion=False, rich_markup_mode=None)

# Sets the lemmas of documents.
Lemmatize = Callable[[list[Doc]], object]


@dataclass(frozen=True)
class Contestant:
    """A trained lemmatizer.

    Attributes:
        load: Loads it for a vocab.
        n_bytes: Its size on disk.
    """

    load: Callable[[], tuple[Vocab, Lemmatize]]
    n_bytes: int


def steps(plan: Plan, name: str, epochs: int) -> Iterator[Step]:
    """The steps that train a pipeline on the documents of a treebank."""
    train, config = plan.corpus("train"), plan.directory / f"{name}.cfg"
    prepared = {"treebanks": plan.source, "n-sents": 10}
    options = {"lang": plan.lang, "pipeline": PIPELINES[name], "optimize": "efficiency"}
    settings: dict[str, object] = {
        "paths.train": train,
        "paths.dev": plan.corpus("dev"),
    }
    if name == OURS:
        settings |= {"training.max_epochs": epochs, "training.patience": 0}
    output = plan.directory / name
    yield Step(
        train, command("scripts/prepare.py", plan.treebank, train.parent, **prepared)
    )
    yield Step(config, command("-m spacy init config --force", config, **options))
    yield Step(
        output / MODELS[name],
        command("-m spacy train", config, output=output, **settings),
    )


def of_pipeline(plan: Plan, name: str) -> Contestant:
    """The lemmatizer of a trained pipeline, without its tagger."""
    path = plan.directory / name / MODELS[name]
    names = spacy.load(path, exclude=BESIDE[name]).pipe_names

    def load() -> tuple[Vocab, Lemmatize]:
        nlp = spacy.load(path, exclude=BESIDE[name])
        return nlp.vocab, lambda docs: consume(nlp.pipe(docs))

    return Contestant(load, sum(disk_size(path / part) for part in names))


def of_dictionary(plan: Plan) -> Contestant:
    """A dictionary of the training words: the most frequent lemma of a form with its
    part of speech, or else of the form, or else the form itself.
    """
    path = plan.directory / "dictionary.json"
    counts: dict[str, Counter[str]] = {}
    for doc in gold_docs(plan, "train"):
        for form, token in zip(multiword.word_forms(doc), doc, strict=True):
            for key in (form, f"{form}\t{token.pos_}"):
                counts.setdefault(key, Counter())[token.lemma_] += 1
    srsly.write_json(path, {key: n.most_common(1)[0][0] for key, n in counts.items()})

    def load() -> tuple[Vocab, Lemmatize]:
        lemmas: dict[str, str] = dict(srsly.read_json(path))

        def lemmatize(docs: list[Doc]) -> None:
            for doc in docs:
                for form, token in zip(multiword.word_forms(doc), doc, strict=True):
                    of_form = lemmas.get(form, form)
                    token.lemma_ = lemmas.get(f"{form}\t{token.pos_}", of_form)

        return spacy.blank(plan.lang).vocab, lemmatize

    return Contestant(load, disk_size(path))


def gold_docs(plan: Plan, split: str) -> list[Doc]:
    """The sentences of a split."""
    vocab = Vocab()
    file = treebank_file(plan.source / plan.treebank, split)
    return [to_doc(sentence, vocab) for sentence in read_conllu(file)]


def tagged(plan: Plan) -> DocBin:
    """The sentences of the test set on gold words, with the tags of our tagger."""
    tagger = spacy.load(plan.directory / OURS / MODELS[OURS], exclude=[LEMMATIZER])
    bare = [
        to_doc(sentence, tagger.vocab, tags=False, tree=False)
        for sentence in read_conllu(plan.test)
    ]
    return DocBin(ATTRIBUTES, docs=tagger.pipe(bare))


@dataclass(frozen=True)
class Result:
    """What is told of a lemmatizer.

    Attributes:
        right: The percentage of the words that get the lemma of the treebank, of all
            words and of those whose form training does not have.
        microseconds: CPU time for each word of the test set, read for the first time.
        megabytes: The size on disk.
        loading: Milliseconds of CPU time.
    """

    right: tuple[float, float]
    microseconds: float
    megabytes: float
    loading: float


def result(
    plan: Plan, contestant: Contestant, given: DocBin, known: set[str]
) -> Result:
    """Score and time a lemmatizer.

    Args:
        given: The tagged sentences of the test set.
        known: The forms of the training data.
    """
    gold = gold_docs(plan, "test")
    loading, times = [], []
    for _ in range(ROUNDS):
        loaded: list[tuple[Vocab, Lemmatize]] = []
        loading.append(
            measure(lambda loaded=loaded: loaded.append(contestant.load())).cpu
        )  # type: ignore[misc]
        vocab, lemmatize = loaded[0]
        docs = list(given.get_docs(vocab))
        times.append(measure(lambda: lemmatize(docs)).cpu)  # noqa: B023
    of_all, of_unknown = shares(gold, docs, known)
    n_words = sum(map(len, docs))
    return Result(
        (of_all, of_unknown),
        1e6 * median(times) / n_words,
        contestant.n_bytes / 1e6,
        1e3 * median(loading),
    )


def shares(
    gold: Iterable[Doc], found: Iterable[Doc], known: set[str]
) -> tuple[float, float]:
    """The percentages of right lemmas, of all words and of unknown words. Words whose
    lemma the treebank does not tell are left out.
    """
    n: Counter[tuple[bool, bool]] = Counter()
    for expected, doc in zip(gold, found, strict=True):
        forms = multiword.word_forms(expected)
        for form, a, b in zip(forms, expected, doc, strict=True):
            if a.lemma_ and (a.lemma_ != "_" or form == "_"):
                n[form in known, a.lemma_ == b.lemma_] += 1
    right = n[True, True] + n[False, True]
    unknown = n[False, True] + n[False, False]
    return 100 * right / max(n.total(), 1), 100 * n[False, True] / max(unknown, 1)


def table(title: str, results: dict[str, Result]) -> Table:
    """The results of one treebank."""
    shown = Table(title=title, title_justify="left")
    shown.add_column("")
    for name in ("all words", "unknown words", "us a word", "MB", "loading, ms"):
        shown.add_column(name, justify="right")
    for name, found in results.items():
        cells = [f"{share:.2f}" for share in found.right]
        cells += [f"{found.microseconds:.2f}", f"{found.megabytes:.1f}"]
        shown.add_row(name, *cells, f"{found.loading:.0f}")
    return shown


@app.command()
@one_line_errors
def main(
    treebanks: Treebanks,
    work: Work,
    source: Source = ROOT / "treebanks",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of our tagger.")] = 10,
    skip_spacy: Annotated[
        bool, typer.Option("--skip-spacy", help="Leave out spaCy's lemmatizer.")
    ] = False,
) -> None:
    """Compare dynoracle_lemmatizer with a dictionary of the training words and with
    spaCy's trainable_lemmatizer.

    All get the words and sentences of the test set, and the tags of dynoracle_tagger.
    """
    console = Console()
    if not console.is_terminal:
        console = Console(width=100)
    for name, lang in map(language_of, treebanks):
        plan = Plan(name, lang, source.resolve(), work.resolve(), {})
        pipelines = [OURS] if skip_spacy else [OURS, SPACY]
        for pipeline in pipelines:
            for step in steps(plan, pipeline, epochs):
                step.run(console)
        contestants = {pipeline: of_pipeline(plan, pipeline) for pipeline in pipelines}
        contestants[DICTIONARY] = of_dictionary(plan)
        given = tagged(plan)
        train = gold_docs(plan, "train")
        known = {form for doc in train for form in multiword.word_forms(doc)}
        results = {
            pipeline: result(plan, contestant, given, known)
            for pipeline, contestant in contestants.items()
        }
        console.print(table(f"{name}, lemmas of the test set", results))


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.lemmas")
