"""Scores of sentence boundaries: `dynoracle_parser`, spaCy's parser and senter.

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
from spacy.training import Example
from spacy.vocab import Vocab

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.documents import documents, examples, train_ours, train_spacys
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank
from benchmarks.timing import Time
from spacy_dynoracle.cli.common import CommandError, one_line_errors
from spacy_dynoracle.core.systems import SYSTEMS

SAMPLE = ROOT / "treebanks" / "English-Harbour"
# The registered feature sets without tags, for each system.
WITHOUT_TAGS = {
    name: system.default_features_without_tags
    for name, system in SYSTEMS.items()
    if system.default_features_without_tags is not None
}

app = typer.Typer(add_completion=False, pretty_exceptions_show_locals=False)


def block(name: str) -> dict[str, str]:
    """The config of a registered function."""
    return {"@misc": f"spacy_dynoracle.{name}.v1"}


def ours(systems: list[str]) -> dict[str, dict[str, Any]]:
    """The settings of our parser by the names of the rows."""
    found: dict[str, dict[str, Any]] = {}
    for name in systems:
        system = {"system": block(name)}
        forms = {"tag_attr": None, "features": {"@misc": WITHOUT_TAGS[name]}}
        found[f"ours, {name}, gold UPOS"] = system
        found[f"ours, {name}, no tags"] = system | forms
    return found


def row(name: str, scores: dict[str, Any], seconds: float) -> list[str]:
    """One line of the table."""
    keys = ("sents_p", "sents_r", "sents_f", "dep_uas", "dep_las")
    found = (scores.get(key) for key in keys)
    cells = ["" if value is None else f"{100 * value:.2f}" for value in found]
    return [name, *cells, f"{seconds:,.0f}"]


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train and test.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language of the tokenizer.")] = "en",
    system: Annotated[
        list[str], typer.Option(help=f"One of {', '.join(WITHOUT_TAGS)}; repeatable.")
    ] = ["ArcEager", "ArcHybrid", "ArcStandard"],  # noqa: B006
    size: Annotated[int, typer.Option(min=1, help="Sentences in a document.")] = 10,
    split: Annotated[str, typer.Option(help="Split that is scored.")] = "test",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of our parser.")] = 15,
    parser_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of spaCy's parser; 0 omits it.")
    ] = 2,
    senter_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of senter; 0 omits it.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Seeds all training.")] = 1,
) -> None:
    """Train on documents of several sentences, and score sentences of others."""
    for name in system:
        if name not in WITHOUT_TAGS:
            raise CommandError(f"--system {name}: not one of {', '.join(WITHOUT_TAGS)}")
    contestants = ours(system)
    vocab: Vocab = blank(lang).vocab
    train: list[Example] = examples(documents(treebank, "train", size, vocab))
    test = documents(treebank, split, size, vocab)
    table = Table(
        title=f"Sentences of {treebank.resolve().name} {split}, {len(test)} documents "
        f"of {size}"
    )
    table.add_column("")
    for column in ("P", "R", "F", "UAS", "LAS", "training, CPU s"):
        table.add_column(column, justify="right")
    spacys = {"parser": parser_epochs, "senter": senter_epochs}
    total = len(contestants) * epochs + sum(spacys.values())
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Training", total=total)
        for name, settings in contestants.items():
            start = Time.now()
            nlp = train_ours(
                train, lang, epochs, seed, lambda: bar.advance(task), **settings
            )
            seconds = (Time.now() - start).cpu
            table.add_row(*row(name, nlp.evaluate(examples(test)), seconds))
        for pipe, n_epochs in spacys.items():
            if n_epochs:
                nlp, seconds = train_spacys(
                    pipe, train, lang, n_epochs, seed, lambda: bar.advance(task)
                )
                name = f"spaCy's {pipe}, {n_epochs} epochs"
                table.add_row(*row(name, nlp.evaluate(examples(test)), seconds))
    Console(width=100).print(table)


if __name__ == "__main__":
    app()
