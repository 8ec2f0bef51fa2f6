"""Experiments with partial annotation: training when most heads are unknown.

One kind of treebank removes the heads of a random percentage of the training words. For
comparison, the other kind removes whole sentences at random, until about the same
number of known heads is left.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spacy_dynoracle.reports.tables import Grid, mean_and_deviation, number
from spacy_dynoracle.treebank.sentence import UNKNOWN
from spacy_dynoracle.util.files import replace_file

from .runs import Experiments, Result, Run
from .settings import Setting

WORDS, SENTENCES = KINDS = ("words", "sentences")
# The columns of HEAD and DEPREL.
HEAD, DEPREL = 6, 7
# This seed is separate from that of training, so all training seeds lack the same
# heads.
SEED = 0
Block = list[list[str]]


def blocks_of(text: str) -> list[Block]:
    """Cut the lines of each sentence of a CoNLL-U file into columns."""
    return [
        [line.split("\t") for line in block.strip("\n").split("\n")]
        for block in text.replace("\r\n", "\n").split("\n\n")
        if block.strip()
    ]


def text_of(blocks: Iterable[Block]) -> str:
    """The text of a CoNLL-U file with these sentences."""
    return "".join(
        "\n".join("\t".join(columns) for columns in block) + "\n\n" for block in blocks
    )


def words_of(blocks: Iterable[Block]) -> list[list[str]]:
    """The lines of all words with a known head."""
    return [
        columns
        for block in blocks
        for columns in block
        if columns[0].isdigit() and columns[HEAD] != UNKNOWN
    ]


def forget_words(blocks: list[Block], percent: int, seed: int = SEED) -> None:
    """Make the heads and labels of a percentage of the words unknown."""
    words = words_of(blocks)
    n = round(len(words) * percent / 100)
    for columns in random.Random(seed).sample(words, n):
        columns[HEAD] = columns[DEPREL] = UNKNOWN


def forget_sentences(blocks: list[Block], percent: int, seed: int = SEED) -> None:
    """Remove sentences until at least a percentage of the words is gone."""
    order = list(range(len(blocks)))
    random.Random(seed).shuffle(order)
    to_go = round(len(words_of(blocks)) * percent / 100)
    left_out = set()
    for i in order:
        if to_go <= 0:
            break
        to_go -= len(words_of([blocks[i]]))
        left_out.add(i)
    blocks[:] = [block for i, block in enumerate(blocks) if i not in left_out]


class Partial:
    """Makes new treebanks from others by removing heads.

    lab: experiments with the runs and the whole treebanks. directory: directory of the
    new treebanks.
    """

    def __init__(self, lab: Experiments, directory: Path) -> None:
        self.lab = lab
        self.directory = directory
        # The number of known heads by the name of the new treebank.
        self.known: dict[str, int] = {}

    def make(self, treebank: str, percent: int, kind: str) -> str:
        """Make a treebank and return its name. kind: one of KINDS, says what to remove.

        Raises TreebankError if the treebank does not exist.
        """
        name = f"{treebank}-without-{percent}-percent-of-{kind}"
        for split in ("train", "dev", "test"):
            data = self.lab.treebank_file(treebank, split).read_bytes()
            if split == "train":
                blocks = blocks_of(data.decode("utf-8"))
                forget = forget_words if kind == WORDS else forget_sentences
                forget(blocks, percent)
                self.known[name] = len(words_of(blocks))
                data = text_of(blocks).encode("utf-8")
            path = self.directory / name / f"{split}.conllu"
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, data)
        return name


def table(
    treebank: str,
    names: Mapping[tuple[int, str], str],
    known: Mapping[str, int],
    results: Mapping[Run, Result],
    split: str,
) -> Grid:
    """A table of scores by the percentage and kind of removed heads.

    names: names of treebanks by percentage and kind. known: number of known heads in
    each.
    """
    columns = ["heads removed", "of", "known heads", "UAS", "LAS"]
    grid = Grid(f"{treebank}, {split} set, all words", columns)
    for (percent, kind), name in names.items():
        of_name = [r for run, r in results.items() if run.treebank == name]
        grid.add(
            f"{percent} %",
            kind if percent else "",
            number(known[name]),
            mean_and_deviation([result.uas for result in of_name]),
            mean_and_deviation([result.las for result in of_name]),
        )
    grid.notes.append(
        "Of words: words drawn at random have no known head. Of sentences: as many "
        "words are left out with their whole sentences, drawn at random."
    )
    return grid


def records(
    names: Mapping[tuple[int, str], str],
    known: Mapping[str, int],
    results: Mapping[Run, Result],
) -> list[dict[str, Any]]:
    """The scores of every run, for JSON."""
    by_name = {name: key for key, name in names.items()}
    return [
        {
            "percent": by_name[run.treebank][0],
            "removed": by_name[run.treebank][1],
            "known": known[run.treebank],
            "seed": run.seed,
            "uas": result.uas,
            "las": result.las,
            "training": result.training,
        }
        for run, result in results.items()
        if run.treebank in by_name
    ]


def runs_of(names: Iterable[str], setting: Setting, seeds: int) -> list[Run]:
    """All runs. All treebanks of one seed come before the next seed."""
    return [Run(name, setting, seed) for seed in range(1, seeds + 1) for name in names]


def combinations(percentages: Sequence[int]) -> list[tuple[int, str]]:
    """The treebanks to compare: nothing removed, then each percentage of words and of
    sentences.

    Raises ValueError for a percentage that keeps nothing or removes nothing.
    """
    for percent in percentages:
        if not 0 < percent < 100:
            raise ValueError(f"removed {percent}: expected a percentage from 1 to 99")
    shares = sorted(set(percentages))
    return [(0, WORDS), *((percent, kind) for percent in shares for kind in KINDS)]
