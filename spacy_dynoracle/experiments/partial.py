"""Partial annotation: what a parser learns when most heads are unknown.

Of the training words, so many per cent drawn at random lose their heads. To compare,
the same number of known heads in whole sentences, drawn at random; the other sentences
are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..reports.tables import Grid, mean_and_deviation, number
from ..treebank.sentence import UNKNOWN
from ..util.files import replace_file
from .runs import Experiments, Result, Run
from .settings import Setting

WORDS, SENTENCES = KINDS = ("words", "sentences")
# Columns of HEAD and DEPREL.
HEAD, DEPREL = 6, 7
# Not that of training: what is removed is the same for all seeds.
SEED = 0
Block = list[list[str]]


def blocks_of(text: str) -> list[Block]:
    """The sentences of a CoNLL-U file: their lines, cut into columns."""
    return [
        [line.split("\t") for line in block.strip("\n").split("\n")]
        for block in text.replace("\r\n", "\n").split("\n\n")
        if block.strip()
    ]


def text_of(blocks: Iterable[Block]) -> str:
    """The file of some sentences."""
    return "".join(
        "\n".join("\t".join(columns) for columns in block) + "\n\n" for block in blocks
    )


def words_of(blocks: Iterable[Block]) -> list[list[str]]:
    """The lines of words whose head is known."""
    return [
        columns
        for block in blocks
        for columns in block
        if columns[0].isdigit() and columns[HEAD] != UNKNOWN
    ]


def forget_words(blocks: list[Block], percent: int, seed: int = SEED) -> None:
    """Make heads and labels of so many per cent of the words unknown."""
    words = words_of(blocks)
    n = round(len(words) * percent / 100)
    for columns in random.Random(seed).sample(words, n):
        columns[HEAD] = columns[DEPREL] = UNKNOWN


def forget_sentences(blocks: list[Block], percent: int, seed: int = SEED) -> None:
    """Leave out sentences, until at least so many per cent of the words are gone."""
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
    """Treebanks that are made of others by forgetting heads.

    lab: where the runs are and the whole treebanks. directory: of the new ones.
    """

    def __init__(self, lab: Experiments, directory: Path) -> None:
        self.lab = lab
        self.directory = directory
        # How many heads are known, by the name of the new treebank.
        self.known: dict[str, int] = {}

    def make(self, treebank: str, percent: int, kind: str) -> str:
        """Make a treebank; returns its name. kind: of KINDS, what is forgotten.

        Raises TreebankError if there is no such treebank.
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
    """Scores by what is unknown.

    names: of treebanks, by percentage and kind. known: heads in each.
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
    """All runs; all treebanks of a seed before the next seed."""
    return [Run(name, setting, seed) for seed in range(1, seeds + 1) for name in names]


def combinations(percentages: Sequence[int]) -> list[tuple[int, str]]:
    """What is compared: nothing removed, then each share, of words and of sentences.

    Raises ValueError for a percentage that leaves nothing or removes nothing.
    """
    for percent in percentages:
        if not 0 < percent < 100:
            raise ValueError(f"removed {percent}: expected a percentage from 1 to 99")
    shares = sorted(set(percentages))
    return [(0, WORDS), *((percent, kind) for percent in shares for kind in KINDS)]
