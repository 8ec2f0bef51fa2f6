"""Scores of sentence boundaries: parsers and sentence splitters, ours and spaCy's.

Run it as `python -m benchmarks.sentences` or `python benchmarks/sentences.py`, with
`--help` for the options. README.md beside this file explains the table.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.data import treebank_file
from benchmarks.documents import (
    documents,
    examples,
    train_component,
    train_ours,
    train_spacys,
)
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank
from benchmarks.timing import Time
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.doc.own_words import without_annotation
from spacy_dynoracle.doc.readers import copy_annotation
from spacy_dynoracle.evaluation.conll2018 import score_docs
from spacy_dynoracle.senter.component import NAME as SENTER
from spacy_dynoracle.tagger.component import NAME as TAGGER
from spacy_dynoracle.tagger.jackknifing import jackknife
from spacy_dynoracle.treebank import read_conllu
from spacy_dynoracle.treebank.text import paragraphs

SAMPLE = ROOT / "treebanks" / "English-Harbour"
SYSTEMS = ("ArcEager", "ArcHybrid", "ArcStandard", "EasyFirst")
N_FOLDS = 5
SPLITTERS = ("spaCy's sentencizer", "our senter, words", "our senter, tags")

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def block(name: str) -> dict[str, Any]:
    """The config of a registered function."""
    return {"@misc": f"spacy_dynoracle.{name}.v1"}


def ours(systems: list[str]) -> dict[str, dict[str, Any]]:
    """The settings of our parser by the names of the rows."""
    found: dict[str, dict[str, Any]] = {}
    for name in systems:
        system = {"system": block(name)}
        found[f"ours, {name}, gold UPOS"] = system
        found[f"ours, {name}, no tags"] = system | {"tag_attr": None}
    return found


def row(
    name: str, scores: dict[str, Any], seconds: float, of_text: float | None = None
) -> list[str]:
    """One line of the table."""
    keys = ("sents_p", "sents_r", "sents_f")
    found = [scores.get(key) for key in keys]
    found += [of_text, scores.get("dep_uas"), scores.get("dep_las")]
    cells = ["" if value is None else f"{100 * value:.2f}" for value in found]
    return [name, *cells, f"{seconds:,.0f}"]


def bare(golds: list[Doc]) -> list[Example]:
    """Examples whose predicted Docs have words only."""
    return [Example(without_annotation(gold), gold) for gold in golds]


def score_of_text(nlp: Language, path: Path) -> float:
    """The F of sentences in the raw text of a treebank file."""
    found = paragraphs(read_conllu(path))
    scores = score_docs((sentences, nlp(text)) for text, sentences in found)
    return scores["Sentences"].f1


def splitter(
    name: str, train: list[Doc], lang: str, n_epochs: int, seed: int
) -> Language:
    """A pipeline that finds sentences without a parser.

    Args:
        name: One of SPLITTERS.
        train: Gold documents.
    """
    settings: dict[str, Any] = {"seed": seed}
    data = bare(train)
    if name == SPLITTERS[0]:
        nlp = blank(lang)
        nlp.add_pipe("sentencizer")
        return nlp
    if name == SPLITTERS[2]:
        settings["features"] = block("SenterFeatures") | {"tags": True}
        attrs = ["TAG", "POS"]
        copies = [doc.copy() for doc in train]
        jackknife(copies, N_FOLDS, n_epochs, attrs=attrs, seed=seed)
        for example, doc in zip(data, copies, strict=True):
            copy_annotation(Example(example.predicted, doc), attrs)
    nlp = train_component(SENTER, data, lang, n_epochs, seed, lambda: None, settings)
    if name == SPLITTERS[2]:
        gold = bare(train)
        own = {"seed": seed, "attrs": attrs}
        tagger = train_component(TAGGER, gold, lang, n_epochs, seed, lambda: None, own)
        nlp.add_pipe(TAGGER, source=tagger, first=True)
    return nlp


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train and test.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language of the tokenizer.")] = "en",
    system: Annotated[
        list[str], typer.Option(help=f"{', '.join(SYSTEMS)}, or none; repeatable.")
    ] = ["ArcEager", "ArcHybrid", "ArcStandard"],  # noqa: B006
    size: Annotated[int, typer.Option(min=1, help="Sentences in a document.")] = 10,
    split: Annotated[str, typer.Option(help="File that is scored.")] = "test",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of our parsers.")] = 15,
    splitter_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of our senters; 0: none.")
    ] = 10,
    parser_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of spaCy's parser; 0: none.")
    ] = 2,
    senter_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of spaCy's senter; 0: none.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Seeds all training.")] = 1,
) -> None:
    """Train on documents of several sentences, and score sentences of others."""
    system = [] if system == ["none"] else system
    for name in system:
        if name not in SYSTEMS:
            raise CommandError(f"--system {name}: not one of {', '.join(SYSTEMS)}")
    contestants = ours(system)
    vocab: Vocab = blank(lang).vocab
    docs = documents(treebank, "train", size, vocab)
    train: list[Example] = examples(docs)
    path = treebank_file(treebank, split)
    test = documents(treebank, split, size, vocab)
    table = Table(
        title=f"Sentences of {treebank.resolve().name} {split}, {len(test)} documents "
        f"of {size}"
    )
    table.add_column("")
    for column in ("P", "R", "F", "F, from text", "UAS", "LAS", "training, CPU s"):
        table.add_column(column, justify="right")
    spacys = {"parser": parser_epochs, "senter": senter_epochs}
    splitters = SPLITTERS if splitter_epochs else ()
    total = len(contestants) * epochs + len(splitters) + sum(spacys.values())
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Training", total=total)
        for name, settings in contestants.items():
            start = Time.now()
            nlp = train_ours(
                train, lang, epochs, seed, lambda: bar.advance(task), **settings
            )
            seconds = (Time.now() - start).cpu
            table.add_row(*row(name, nlp.evaluate(examples(test)), seconds))
        for name in splitters:
            start = Time.now()
            nlp = splitter(name, docs, lang, splitter_epochs, seed)
            seconds = (Time.now() - start).cpu
            of_text = score_of_text(nlp, path)
            table.add_row(*row(name, nlp.evaluate(bare(test)), seconds, of_text))
            bar.advance(task)
        for pipe, n_epochs in spacys.items():
            if n_epochs:
                nlp, seconds = train_spacys(
                    pipe, train, lang, n_epochs, seed, lambda: bar.advance(task)
                )
                name = f"spaCy's {pipe}, {n_epochs} epochs"
                of_text = score_of_text(nlp, path)
                scores = nlp.evaluate(examples(test))
                table.add_row(*row(name, scores, seconds, of_text))
    Console(width=110).print(table)


if __name__ == "__main__":
    app()
