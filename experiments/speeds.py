"""Comparison of the speeds of pipelines."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_dynoracle.reports.tables import MISSING, Grid, number
from spacy_dynoracle.treebank import read_conllu

from .parsing import interleaved_seconds, median_ratio
from .scoring import BATCH_SIZE, unparsed

REPEATS = 5
# The words per second of each round, by treebank and title of the pipeline.
Speeds = Mapping[str, Mapping[str, Sequence[float]]]


def measure_speed(
    pipelines: Mapping[str, Path], path: Path, repeats: int = REPEATS
) -> dict[str, list[float]]:
    """Measure the words per second of each pipeline on the sentences of a file. The
    pipelines take turns in each round. The time to make the Docs does not count."""
    sentences = list(read_conllu(path))
    words = sum(len(sentence.words) for sentence in sentences)
    loaded = [spacy.load(pipeline) for pipeline in pipelines.values()]
    times = interleaved_seconds(
        [
            (partial(unparsed, nlp, sentences), partial(_parse_all, nlp))
            for nlp in loaded
        ],
        repeats,
    )
    speeds = [[words / seconds for seconds in own] for own in times]
    return dict(zip(pipelines, speeds, strict=True))


def _parse_all(nlp: Language, docs: list[Doc]) -> None:
    for _ in nlp.pipe(docs, batch_size=BATCH_SIZE):
        pass


def speed_table(speeds: Speeds, base: str) -> Grid:
    """A table of the medians. base: title of the pipeline with which all are
    compared."""
    grid = Grid(
        "Speed of nlp.pipe",
        ["treebank", "parser", "words/s", f"times {base}"],
        notes=[
            "All sentences of the file, Docs made before; median of rounds in which "
            "all parsers take turns, and the median of the quotients of the rounds."
        ],
    )
    for treebank, by_title in speeds.items():
        compared = by_title.get(base)
        for name, own in by_title.items():
            quotient = f"{median_ratio(own, compared):.2f}" if compared else MISSING
            grid.add(treebank, name, number(statistics.median(own)), quotient)
    return grid
