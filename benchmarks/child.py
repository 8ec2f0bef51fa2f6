"""Measurements that need a fresh process, which `benchmarks.memory` starts.

Each task prints one JSON object per line. `train` prints one for each epoch. At the end
every task prints one with its results.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer
from spacy.tokens import Doc

from spacy_dynoracle.cli.common import CommandError
from spacy_dynoracle.errors import TreebankError

from .data import join, read_texts, repeated
from .memory import baseline, peak
from .pipelines import Training, load

Report = dict[str, Any]


def train(
    treebank: str,
    lang: str,
    seed: int,
    epochs: int,
    output: str,
    learner: str = "perceptron",
) -> Iterator[Report]:
    """Train and save a pipeline, and report times and peaks of memory above the loaded
    corpus.
    """
    training = Training(Path(treebank), lang, seed, learner)
    before = baseline()
    initializing = training.initialize()
    yield {"initialize": vars(initializing)}
    for learning, updating in training.epochs(epochs):
        yield {"learning": vars(learning), "updating": vars(updating)}
    trained = peak()
    training.nlp.to_disk(output)
    yield {
        "training": trained - before,
        "saving": peak() - before,
        "process": peak(),
    }


def stream(model: str, treebank: str, seed: int, words: int) -> Iterator[Report]:
    """Parse a stream of one-sentence documents and keep none of them."""
    nlp = load(Path(model))
    texts = read_texts(Path(treebank), seed)
    warm_up = [text.doc(nlp.vocab) for text in texts[:10]]
    for doc in nlp.pipe(warm_up):
        del doc
    before = baseline()
    for doc in nlp.pipe(text.doc(nlp.vocab) for text in repeated(texts, words)):
        del doc
    yield {"parsing": peak() - before, "process": peak()}


def long(model: str, treebank: str, seed: int, words: int) -> Iterator[Report]:
    """Parse one Doc with `words` words."""
    nlp = load(Path(model))
    texts = read_texts(Path(treebank), seed)
    nlp(join(texts[:10]).doc(nlp.vocab))
    doc: Doc = join(repeated(texts, words), words).doc(nlp.vocab)
    del texts
    before = baseline()
    nlp(doc)
    yield {"parsing": peak() - before, "process": peak()}


TASKS: dict[str, Callable[..., Iterator[Report]]] = {
    "train": train,
    "stream": stream,
    "long": long,
}


def main() -> None:
    """Run the task that the command line names, with its arguments in JSON."""
    name, arguments = sys.argv[1:]
    try:
        for report in TASKS[name](**json.loads(arguments)):
            print(json.dumps(report), flush=True)
    except (CommandError, TreebankError) as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
