"""Every experiment of the papers over some treebanks, as one record for a page."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from spacy_dynoracle.treebank.files import SPLITS, find_any, find_split

from .hcsearch import HCSearchPlan
from .observations import Observations
from .papers import CONDITIONS, LABELLED, UNLABELLED, papers
from .provenance import commit
from .runs import Experiments
from .settings import Setting
from .studies import (
    FINE_TAGS,
    ExplorationStudy,
    FragmentationStudy,
    ProbabilityStudy,
    RankingStudy,
    ScoreStudy,
    Study,
    exploration_rows,
    learner_rows,
    oracle_rows,
)
from .subsets import copy_treebank, sentences

FORMAT = 1
# The first fields of a study: paper, condition, lab, words and seeds.
StudyArguments = tuple[str, str, Experiments, dict[str, int], int]
# The systems whose comparison needs a condition without labels, and the rows of
# Goldberg (2013) that do.
UNLABELLED_SYSTEMS = ("eager", "easy-first")
UNLABELLED_ROWS = (
    "ME+DYN(K=1,SAMPLE)",
    "ME+DYN(K=0,SAMPLE)",
    "ME+DYN(K=1,ERR)",
    "ME+DYN(K=0,ERR)",
)


@dataclass(frozen=True)
class Scale:
    """How much is done.

    treebanks: how many of the treebanks that are found; 0 for all. costly: how many of
    these for the exploration and for HC-search. sizes: sentences of each split; all if
    it is not named. epochs: epochs of greedy parsers; 0 for those of the papers. ks,
    ps: cells of the heat map. beam_size, beam_epochs, folds, fold_epochs, rounds: of
    HC-search (see `HCSearchPlan`).
    """

    name: str
    treebanks: int
    costly: int
    sizes: Mapping[str, int]
    epochs: int
    ks: tuple[int, ...]
    ps: tuple[float, ...]
    beam_size: int
    beam_epochs: int
    folds: int
    fold_epochs: int
    rounds: int


SCALES: Mapping[str, Scale] = MappingProxyType(
    {
        "small": Scale(
            "small",
            treebanks=2,
            costly=1,
            # Training takes the time, and intervals need test sentences.
            sizes={"train": 600, "dev": 1000, "test": 1000},
            epochs=5,
            ks=(0, 1, 3),
            ps=(0.0, 0.9),
            beam_size=16,
            beam_epochs=5,
            folds=3,
            fold_epochs=3,
            rounds=3,
        ),
        "full": Scale(
            "full",
            treebanks=0,
            costly=0,
            sizes={},
            epochs=0,
            ks=(0, 1, 2, 3, 4, 5),
            ps=(0.0, 0.3, 0.6, 0.9),
            beam_size=64,
            beam_epochs=15,
            folds=20,
            fold_epochs=5,
            rounds=10,
        ),
    }
)


# ---- treebanks -----------------------------------------------------------------------


def language_of(treebank: str) -> str:
    """The language in the name of a treebank, such as "English" of "UD_English-EWT";
    "" if it is a language of no paper."""
    known = {
        column.partition(",")[0]
        for paper in papers()
        for table in paper.tables
        for column in table.columns
    }
    words = re.split(r"[^A-Za-z]+", treebank)
    return next((word for word in words if word in known), "")


def find_treebanks(directory: Path) -> list[str]:
    """The treebanks of a directory with all three splits, in the order in which a
    small scale takes them: those of different languages first, and among these the
    languages that most papers have."""
    found = sorted(
        sub.name
        for sub in directory.iterdir()
        if find_any(sub) and all(find_split(sub, split) for split in SPLITS)
    )

    def n_papers(name: str) -> int:
        columns = [
            [c.partition(",")[0] for t in paper.tables for c in t.columns]
            for paper in papers()
        ]
        return sum(language_of(name) in of_paper for of_paper in columns)

    found.sort(key=lambda name: (-n_papers(name), name))
    firsts = {language_of(name): name for name in reversed(found)}
    return sorted(found, key=lambda name: firsts[language_of(name)] != name)


# ---- what is done --------------------------------------------------------------------


@dataclass
class Reproduction:
    """All studies of a scale.

    names: treebanks, in the order of `find_treebanks`. directory: their directory.
    output: directory of the runs. config: config of the parser. jobs: runs at a time.
    """

    scale: Scale
    names: Sequence[str]
    directory: Path
    output: Path
    config: Path
    seeds: int = 3
    jobs: int = 1

    def __post_init__(self) -> None:
        self.chosen = list(self.names)[: self.scale.treebanks or None]
        self.labs = {}
        for condition in CONDITIONS:
            copies = self.output / condition / "treebanks"
            for name in self.chosen:
                copy_treebank(
                    self.directory,
                    name,
                    copies,
                    sizes=self.scale.sizes,
                    labels=condition == LABELLED,
                )
            self.labs[condition] = Experiments(
                self.output / condition, self.config, copies, self.jobs
            )
        self.words = {name: self._counts(name, "train")[1] for name in self.chosen}

    def _counts(self, name: str, split: str) -> tuple[int, int]:
        """The sentences and words of a split, as it is used."""
        file = self.labs[LABELLED].treebank_file(name, split)
        parts = list(sentences(file.read_text(encoding="utf-8")))
        lines = [line for part in parts for line in part.split("\n")]
        return len(parts), sum(line.partition("\t")[0].isdigit() for line in lines)

    def studies(self) -> list[Study]:
        """All studies, the cheap ones first."""
        return [*self._greedy(), *self._costly()]

    def _of(self, paper: str, condition: str, costly: bool = False) -> StudyArguments:
        """The first arguments of a study."""
        names = self.chosen[: self.scale.costly or None] if costly else self.chosen
        words = {name: self.words[name] for name in names}
        return paper, condition, self.labs[condition], words, self.seeds

    def _greedy(self) -> Iterator[Study]:
        epochs = self.scale.epochs
        first, second = "goldberg_nivre_2013", "goldberg_2013"
        rows = oracle_rows(("eager", "hybrid", "easy-first"), epochs)
        yield ScoreStudy(*self._of(first, LABELLED), rows, "test")
        one = Setting(
            "eager-root-first",
            "static",
            "projectivize",
            epochs=epochs,
            tag_attr=FINE_TAGS,
        )
        third = "nivre_fernandez_gonzalez_2014"
        yield FragmentationStudy(*self._of(third, LABELLED), one, ("dev", "test"))
        rows = oracle_rows(UNLABELLED_SYSTEMS, epochs)
        yield ScoreStudy(*self._of(first, UNLABELLED), rows, "test")
        rows = learner_rows(epochs)
        yield ProbabilityStudy(*self._of(second, LABELLED), rows, "dev")
        rows = learner_rows(epochs, UNLABELLED_ROWS)
        yield ProbabilityStudy(*self._of(second, UNLABELLED), rows, "dev")
        rows = exploration_rows(self.scale.ks, self.scale.ps, epochs)
        yield ExplorationStudy(*self._of(first, LABELLED, True), rows, "dev")

    def _costly(self) -> Iterator[Study]:
        scale = self.scale
        plan = HCSearchPlan(
            system="standard-left-last",
            nonprojective="drop",
            beam_size=scale.beam_size,
            epochs=scale.beam_epochs,
            folds=scale.folds,
            fold_epochs=scale.fold_epochs,
            rounds=scale.rounds,
            labelled=False,
            # Several heuristics at a time are faster than several folds.
            jobs=1,
            tag_attr=FINE_TAGS,
        )
        for condition in (UNLABELLED, LABELLED):
            yield RankingStudy(
                *self._of("liu_2015", condition, True), plan, ("dev", "test")
            )

    def complete(self, tell: Callable[[str], None]) -> list[str]:
        """Do what is missing. tell: gets a line before each study, with the time left.
        Returns the messages of failures."""
        failures = []
        studies = self.studies()
        left = [study.seconds_left() for study in studies]
        start, done = time.monotonic(), 0.0
        for i, study in enumerate(studies):
            # The guess counts CPU seconds; what was done tells how fast they pass.
            rate = (time.monotonic() - start) / done if done else 1 / self.jobs
            minutes = sum(left[i:]) * rate / 60
            tell(
                f"{i + 1} of {len(studies)}: {study}; about {minutes:.0f} minutes left"
            )
            failures += study.complete()
            done += left[i]
        return failures

    def record(self, command: str, failures: Sequence[str] = ()) -> dict[str, Any]:
        """Everything that the page shows, for JSON. command: what makes it."""
        found = Observations()
        for study in self.studies():
            study.observe(found)
        return {
            "format": FORMAT,
            "command": command,
            "commit": commit(),
            "config": {
                "file": self.config.as_posix(),
                "sha256": hashlib.sha256(self.config.read_bytes()).hexdigest(),
            },
            "scale": asdict(self.scale),
            "seeds": self.seeds,
            "treebanks": {
                name: {
                    "language": language_of(name),
                    **{split: self._counts(name, split) for split in SPLITS},
                }
                for name in self.chosen
            },
            "left_out": [name for name in self.names if name not in self.chosen],
            "failures": list(failures),
            "cells": list(found.cells()),
            "effects": list(_effects(found)),
            "runs": dict(sorted(found.runs.items())),
        }


def _effects(found: Observations) -> Iterator[dict[str, Any]]:
    """The effects of all claims under all their conditions."""
    for paper in papers():
        for table in paper.tables:
            for claim in table.claims:
                for condition in claim.conditions:
                    each, average = found.effects(paper, table, claim, condition)
                    yield {
                        "table": table.id,
                        "claim": claim.text,
                        "condition": condition,
                        "treebanks": {n: e.as_dict() for n, e in each.items()},
                        "average": average.as_dict() if average else None,
                    }
