"""Growth of the times of every search and every step of training with the text length.

A text is one document whose sentences all depend on ROOT. The parser reads it as one
run of words, as it does with `sentences = "predict"`. Run this file as
`python -m benchmarks.long_texts` or `python benchmarks/long_texts.py`, with `--help`
for the options. README.md beside it explains the table.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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

from benchmarks.data import Text, join, read_texts, repeated, treebank_file
from benchmarks.fingerprints import (
    BEAM,
    HARBOUR,
    PARSER,
    TAGGER,
    block,
    changed,
    configs,
    read,
    trained,
    variants,
)
from benchmarks.timing import measure
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.core.state.projectivity import deprojectivize, projectivize

LENGTHS = (500, 2000, 8000)
# Of so many words one gets the second word behind it for its head. Most of these arcs
# cross another one.
CROSSING_EVERY = 25
# In a partly annotated text the head of one of so many words is unknown.
UNKNOWN_EVERY = 20
MICRO = 1e6

app = typer.Typer(add_completion=False, rich_markup_mode=None)
# What is measured, for a text of a given length.
Run = Callable[[], object]
# By kind and name of a subject, and by length of the text: the seconds for each word.
Times = dict[tuple[str, str], dict[int, float]]


@dataclass
class Subject:
    """Something whose time may grow with the text.

    Attributes:
        kind: "search", "training" or "trees".
        prepare: Makes the function to be timed from a text.
    """

    kind: str
    name: str
    prepare: Callable[[Text], Run]


def heads_in_text(texts: list[Text]) -> list[int | None]:
    """The heads of the words of sentences that follow each other: every sentence
    depends on ROOT.
    """
    heads: list[int | None] = []
    for text in texts:
        first = len(heads)
        heads += [first + head if head else 0 for head in text.heads]
    return heads


def whole_text(texts: list[Text], n_words: int, seed: int) -> Text:
    """Whole sentences with about n words together, as one text whose sentences all
    depend on ROOT.
    """
    sentences = [text for text in texts if None not in text.heads]
    random.Random(seed).shuffle(sentences)
    sentences = repeated(sentences, n_words)
    return replace(join(sentences), heads=heads_in_text(sentences))


def parsing(nlp: Language, keep: bool = False) -> Callable[[Text], Run]:
    """Parsing or tagging of a text by the only component of a pipeline.

    Args:
        keep: Whether the text has a preset arc in every tenth place, between
            neighbours.
    """
    (_, component), *_ = nlp.components
    parser: Any = component

    def prepare(text: Text) -> Run:
        doc = text.doc(nlp.vocab)
        if keep:
            for i in range(0, len(doc) - 1, 10):
                doc[i].head = doc[i + 1]
        return lambda: parser.predict([doc])

    return prepare


def training(nlp: Language) -> Callable[[Text], Run]:
    """Reading the tree of a text, and a pass of training over it."""
    component: Any = nlp.get_pipe(PARSER)

    def prepare(text: Text) -> Run:
        if not component.recipe.system.projective:
            text = replace(text, heads=crossing(text))
        example = Example(text.doc(nlp.vocab), annotated(text, nlp.vocab))
        return lambda: component.update([example])

    return prepare


def annotated(text: Text, vocab: Vocab) -> Doc:
    """A text with its trees."""
    return text.doc(
        vocab,
        heads=[head - 1 if head else i for i, head in enumerate(text.heads)],
        deps=[label or "dep" for label in text.labels],
    )


def crossing(text: Text) -> list[int | None]:
    """The heads of a text, with some arcs that cross others."""
    heads = list(text.heads)
    for word in range(CROSSING_EVERY, len(heads) - 2, CROSSING_EVERY):
        # A word that has no dependents can be moved anywhere without a cycle.
        if word not in heads and heads[word - 1]:
            heads[word - 1] = word + 2
    return heads


def lifting(text: Text) -> Run:
    """Making a tree projective, and undoing that."""
    heads, labels = crossing(text), text.labels
    return lambda: deprojectivize(*projectivize(heads, labels))


def partial_lifting(text: Text) -> Run:
    """Making a tree projective in which some heads are unknown."""
    heads, labels = crossing(text), text.labels
    heads[::UNKNOWN_EVERY] = [None] * len(heads[::UNKNOWN_EVERY])
    return lambda: projectivize(heads, labels)


def subjects(docs: list[Doc], advance: Callable[[], None]) -> Iterator[Subject]:
    """Train the models and yield everything to be measured."""
    for name, settings in configs():
        nlp = trained(PARSER, settings, docs)
        advance()
        yield Subject("search", name, parsing(changed(nlp, {})))
        if name == "ArcEager AdaGradRDA":
            for variant, more in (*variants(), *further_variants()):
                other = changed(nlp, more)
                keep = variant == "preset heads"
                yield Subject("search", f"{name}, {variant}", parsing(other, keep))
        # This changes the weights.
        yield Subject("training", name, training(nlp))
    yield Subject("search", "tagger", parsing(trained(TAGGER, {}, docs)))
    yield Subject("trees", "projectivize and back", lifting)
    yield Subject("trees", "projectivize, some heads unknown", partial_lifting)


def further_variants() -> Iterator[tuple[str, dict[str, Any]]]:
    """Settings beyond those of `variants`."""
    yield "5 best trees", {"search": BEAM | {"n_best": 5}}
    yield "beam of 64", {"search": block("BeamSearch", beam_size=64)}


def table_of(times: Times, lengths: list[int]) -> Table:
    """A table of the microseconds per word by length of the text, and by what factor
    they grow from the shortest to the longest one.
    """
    table = Table(title="One text as one document: µs of CPU per word")
    table.add_column("")
    table.add_column("")
    for length in lengths:
        table.add_column(f"{length:,} words", justify="right")
    table.add_column("growth", justify="right")
    for (kind, name), of_subject in times.items():
        rates = {n: MICRO * seconds for n, seconds in of_subject.items()}
        cells = [f"{rates[n]:.2f}" for n in lengths]
        shortest, last = rates[min(lengths)], rates[max(lengths)]
        # A clock may be too coarse to tell the growth of short times.
        growth = f"{last / shortest:.2f}" if shortest else ""
        table.add_row(kind, name, *cells, growth)
    return table


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.")
    ] = HARBOUR,
    length: Annotated[
        list[int] | None, typer.Option(min=1, help="Words of a text; repeatable.")
    ] = None,
    sentences: Annotated[
        int, typer.Option(min=1, help="Sentences of the train file to learn from.")
    ] = 300,
    repeats: Annotated[int, typer.Option(min=1, help="Timed runs; median.")] = 3,
    seed: Annotated[int, typer.Option(help="Seeds the order of sentences.")] = 1,
) -> None:
    """Time every search and every kind of training on longer and longer texts."""
    lengths = sorted(length or LENGTHS)
    texts = read_texts(treebank, seed)
    # A text of its own for the warm-up and each repeat, because training learns them.
    wholes = {
        n: [whole_text(texts, n, seed + number) for number in range(repeats + 1)]
        for n in lengths
    }
    times: Times = {}
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Models", total=len(list(configs())))
        docs = read(treebank_file(treebank, "train"), sentences)
        for subject in subjects(docs, lambda: bar.advance(task)):
            found = times.setdefault((subject.kind, subject.name), {})
            bar.update(task, description=f"{subject.kind}: {subject.name}")
            for n, of_length in wholes.items():
                rates = []
                for text in of_length:
                    run = subject.prepare(text)
                    rates.append(measure(run).cpu / len(text.words))
                found[n] = statistics.median(rates[1:])
    Console(width=120).print(table_of(times, lengths))


if __name__ == "__main__":
    app()
