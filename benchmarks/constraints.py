"""Counts of violated preset sentence boundaries and preset arcs on real text.

Run it as `python -m benchmarks.constraints` or `python benchmarks/constraints.py`, with
`--help` for the options. README.md beside this file explains the tables.
"""

from __future__ import annotations

import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

if not __package__:
    # As a script, this file needs the directory above it on the path.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from benchmarks.documents import (
    documents,
    examples,
    train_ours,
    train_spacys,
    unannotated,
)
from benchmarks.memory import ROOT
from benchmarks.pipelines import blank
from spacy_dynoracle.cli.common import one_line_errors
from spacy_dynoracle.core.systems import SYSTEMS

SAMPLE = ROOT / "treebanks" / "English-Harbour"
PARSING = [name for name, system in SYSTEMS.items() if system.builds_trees]
# The share of tokens that get a constraint of each kind.
DENSITY = 0.1
STARTS = 0.5
START, NO_START = "a sentence starts", "no sentence starts"
GOLD_START = "no sentence starts where one does in the treebank"
TREEBANK, TREES, ANY = "of the treebank", "of random trees", "at random"

app = typer.Typer(add_completion=False, rich_markup_mode=None)


# ---- sentence boundaries -------------------------------------------------------------


def boundaries(gold: Doc, rng: random.Random) -> dict[int, str]:
    """Draw a constraint for some of the tokens. The first token gets none."""
    chosen = {}
    for token in list(gold)[1:]:
        if rng.random() < DENSITY:
            chosen[token.i] = rng.choice((START, NO_START))
        elif token.is_sent_start and rng.random() < STARTS:
            chosen[token.i] = GOLD_START
    return chosen


def with_boundaries(gold: Doc, chosen: dict[int, str]) -> Doc:
    """A Doc of the same words with these sentence boundaries preset."""
    starts = [chosen[i] == START if i in chosen else None for i in range(len(gold))]
    return unannotated(gold, starts)


def check_boundaries(
    nlp: Language, golds: list[Doc], n: int, seed: int
) -> dict[str, Counter[str]]:
    """Count the constraints of each kind, and the violated ones."""
    found = {kind: Counter[str]() for kind in (START, NO_START, GOLD_START)}
    for gold, rng in repeated(golds, seed):
        if sum(counts["preset"] for counts in found.values()) >= n:
            break
        chosen = boundaries(gold, rng)
        doc = nlp(with_boundaries(gold, chosen))
        for i, kind in chosen.items():
            found[kind]["preset"] += 1
            found[kind]["violated"] += doc[i].is_sent_start != (kind == START)
    return found


def repeated(golds: list[Doc], seed: int) -> Iterator[tuple[Doc, random.Random]]:
    """Yield the documents again and again, each time with another random generator."""
    for i in count():
        for j, gold in enumerate(golds):
            yield gold, random.Random(f"{seed} {i} {j}")


# ---- arcs ----------------------------------------------------------------------------


def heads_of(gold: Doc, kind: str, rng: random.Random) -> list[int]:
    """A head for every token. The frequency of crossing arcs is not controlled."""
    if kind == TREEBANK:
        return [token.head.i for token in gold]
    if kind == ANY:
        return [rng.randrange(len(gold)) for _ in gold]
    heads = [0] * len(gold)
    for sentence in gold.sents:
        order = list(range(sentence.start, sentence.end))
        rng.shuffle(order)
        for i, token in enumerate(order):
            heads[token] = rng.choice(order[:i]) if i else token
    return heads


def with_arcs(gold: Doc, kind: str, rng: random.Random) -> tuple[Doc, list[int]]:
    """A Doc of the same words with some preset arcs, and the words that have one."""
    heads = heads_of(gold, kind, rng)
    labels = [token.dep_ for token in gold]
    if kind != TREEBANK:
        rng.shuffle(labels)
    chosen = [i for i in range(len(gold)) if rng.random() < DENSITY]
    doc = Doc(
        gold.vocab,
        words=[token.text for token in gold],
        spaces=[bool(token.whitespace_) for token in gold],
        pos=[token.pos_ for token in gold],
        tags=[token.tag_ for token in gold],
        heads=[heads[i] if i in set(chosen) else i for i in range(len(gold))],
        deps=[labels[i] if i in set(chosen) else "" for i in range(len(gold))],
    )
    return doc, chosen


def check_arcs(
    nlp: Language, golds: list[Doc], kind: str, n: int, seed: int
) -> Counter[str]:
    """Count the arcs that were preset, kept, and named in a warning as impossible.

    Count also the other words that get their gold head, with and without preset arcs.
    """
    found: Counter[str] = Counter()
    for gold, rng in repeated(golds, seed):
        if found["preset"] >= n:
            break
        doc, chosen = with_arcs(gold, kind, rng)
        before = [(token.head.i, token.dep) for token in doc]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nlp(doc)
        named = sum(n_dropped(str(warning.message)) for warning in caught)
        kept = sum((doc[i].head.i, doc[i].dep) == before[i] for i in chosen)
        found["preset"] += len(chosen)
        found["kept"] += kept
        found["named"] += named
        found["violated"] += max(len(chosen) - kept - named, 0)
        free = nlp(unannotated(gold))
        for i in set(range(len(gold))) - set(chosen):
            found["others"] += 1
            found["others right"] += doc[i].head.i == gold[i].head.i
            found["others right without"] += free[i].head.i == gold[i].head.i
    return found


def n_dropped(message: str) -> int:
    """The number of arcs that a warning says cannot be kept."""
    match = re.match(r"(\d+) of \d+ preset arcs ", message)
    return int(match[1]) if match else 0


# ---- tables --------------------------------------------------------------------------


def boundary_table(found: dict[str, dict[str, Counter[str]]]) -> Table:
    """The table of the counts of `check_boundaries`, by parser."""
    table = Table(title="Preset sentence boundaries")
    for column in ("parser", "constraint"):
        table.add_column(column)
    for column in ("preset", "violated"):
        table.add_column(column, justify="right")
    for parser, by_kind in found.items():
        table.add_section()
        for kind, counts in by_kind.items():
            cells = [f"{counts[key]:,}" for key in ("preset", "violated")]
            table.add_row(parser, kind, *cells)
        total = sum(by_kind.values(), Counter())
        cells = [f"{total[key]:,}" for key in ("preset", "violated")]
        table.add_row(parser, "all", *cells)
    return table


def arc_table(found: dict[str, dict[str, Counter[str]]]) -> Table:
    """The table of the counts of `check_arcs`, by parser and kind of arcs."""
    table = Table(title="Preset arcs")
    table.add_column("parser")
    table.add_column("arcs")
    for column in ("preset", "kept", "named as\nimpossible", "violated"):
        table.add_column(column, justify="right")
    for column in ("UAS of others", "the same\nwithout arcs"):
        table.add_column(column, justify="right")
    for parser, by_kind in found.items():
        table.add_section()
        for kind, counts in by_kind.items():
            keys = ("preset", "kept", "named", "violated")
            cells = [f"{counts[key]:,}" for key in keys]
            for key in ("others right", "others right without"):
                share = counts[key] / max(counts["others"], 1)
                cells.append(f"{100 * share:.2f}" if kind == TREEBANK else "")
            table.add_row(parser, kind, *cells)
    return table


@app.command()
@one_line_errors
def main(
    treebank: Annotated[
        Path, typer.Option(help="Directory with train, dev and test.")
    ] = SAMPLE,
    lang: Annotated[str, typer.Option(help="Language of the tokenizer.")] = "en",
    system: Annotated[
        list[str], typer.Option(help=f"One of {', '.join(PARSING)}; repeatable.")
    ] = ["ArcEager"],  # noqa: B006
    n_boundaries: Annotated[
        int, typer.Option(min=1, help="Number of preset boundaries.")
    ] = 20_000,
    n_arcs: Annotated[
        int, typer.Option(min=1, help="Number of preset arcs of each kind.")
    ] = 5_000,
    size: Annotated[int, typer.Option(min=1, help="Sentences in a document.")] = 10,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of our parser.")] = 5,
    spacy_epochs: Annotated[
        int, typer.Option(min=0, help="Epochs of spaCy's parser; 0 omits it.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seeds training and constraints.")] = 1,
) -> None:
    """Preset random boundaries and arcs, and count those that do not hold."""
    vocab = blank(lang).vocab
    train = examples(documents(treebank, "train", size, vocab))
    golds = [
        doc
        for split in ("dev", "test")
        for doc in documents(treebank, split, size, vocab)
    ]
    held: dict[str, dict[str, Counter[str]]] = {}
    kept: dict[str, dict[str, Counter[str]]] = {}
    total = len(system) * (epochs + 4) + spacy_epochs + bool(spacy_epochs)
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("Training and parsing", total=total)
        for name in system:
            block = {"@misc": f"spacy_dynoracle.{name}.v1"}
            nlp = train_ours(
                train,
                lang,
                epochs,
                seed,
                lambda: bar.advance(task),
                system=block,
                keep_preset_heads=True,
            )
            parser = f"ours, {name}"
            held[parser] = check_boundaries(nlp, golds, n_boundaries, seed)
            bar.advance(task)
            kept[parser] = {}
            for kind in (TREEBANK, TREES, ANY):
                kept[parser][kind] = check_arcs(nlp, golds, kind, n_arcs, seed)
                bar.advance(task)
        if spacy_epochs:
            nlp, _ = train_spacys(
                "parser", train, lang, spacy_epochs, seed, lambda: bar.advance(task)
            )
            parser = "spaCy's parser"
            held[parser] = check_boundaries(nlp, golds, n_boundaries, seed)
            bar.advance(task)
    console = Console(width=110)
    console.print(boundary_table(held))
    console.print(arc_table(kept))


if __name__ == "__main__":
    app()
