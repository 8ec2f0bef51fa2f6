"""The runs that a report on the papers needs, and what is read from them.

A study trains and measures what one paper compares, under one condition. What is done
is kept, so that a study goes on where it stopped.
"""

from __future__ import annotations

import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spacy_dynoracle.confidence.reliability import TRANSITIONS

from . import fragmentation, goldberg_2013
from .common import all_runs, kept
from .exploration import sweep
from .hcsearch import METHODS, HCSearchPlan, Method, Rankings
from .measuring import NO_PUNCTUATION
from .observations import Observations, Row
from .oracles import COUNTS
from .papers import CALIBRATED, DISTANCE, distance
from .ranked import LOSSES
from .runs import Experiments, Result, Run, read_json
from .settings import RDA, STRUCTURED, Setting
from .verdicts import Counts

FINE_TAGS = "TAG"
MEASURING = "measuring"
# Rough CPU seconds: of a process, and of training on a word in one epoch, greedily with
# the perceptron; and how much longer other ways take.
PROCESS, WORD = 5.0, 1.1e-5
EASY_FIRST, LOG_LINEAR, BEAM = 6.0, 4.0, 0.8


@dataclass
class Study(ABC):
    """paper: id of the paper. condition: with or without labels. lab: its runs. words:
    words of the training data by treebank."""

    paper: str
    condition: str
    lab: Experiments
    words: Mapping[str, int]
    seeds: int

    @abstractmethod
    def settings(self) -> Sequence[Setting]:
        """The settings of the runs."""

    @abstractmethod
    def complete(self) -> list[str]:
        """Train and measure what is missing. Returns the messages of failures."""

    @abstractmethod
    def observe(self, into: Observations) -> None:
        """Add what is done to the observations."""

    @property
    def runs(self) -> list[Run]:
        """All runs."""
        return all_runs(list(self.words), self.seeds, self.settings())

    def seconds_left(self) -> float:
        """A rough guess of the CPU seconds that the missing runs take."""
        missing = [run for run in self.runs if not self.lab.directory(run).exists()]
        return sum(self._seconds(run) for run in missing)

    def _seconds(self, run: Run) -> float:
        setting = run.setting
        factor = EASY_FIRST if setting.system == "easy-first" else 1.0
        if setting.learner == RDA:
            factor *= LOG_LINEAR
        if setting.learner == STRUCTURED:
            factor *= 1 + BEAM * setting.beam_size
        work = self.words[run.treebank] * setting.epochs * WORD
        return 2 * PROCESS + factor * work

    def row(self, split: str, measure: str, name: str) -> Row:
        """A row of the tables of the paper."""
        return Row(self.paper, self.condition, split, measure, name)

    def __str__(self) -> str:
        return f"{self.paper}, {self.condition}"


@dataclass
class ScoreStudy(Study):
    """Scores over all words. rows: settings by the names of rows in the paper."""

    rows: Mapping[str, Setting]
    split: str

    def settings(self) -> Sequence[Setting]:
        """The settings of the rows."""
        return list(self.rows.values())

    def complete(self) -> list[str]:
        """Train and score."""
        return self.lab.complete(self.runs, self.split, str(self))

    def observe(self, into: Observations) -> None:
        """Read UAS and LAS."""
        results = self.lab.results(self.runs, self.split)
        for name, setting in self.rows.items():
            for run, result in results.items():
                if run.setting == setting:
                    _add_scores(self, into, self.split, name, run, result)


class ExplorationStudy(ScoreStudy):
    """The heat maps of Goldberg & Nivre (2013), of which the paper prints the lowest
    and the highest score."""

    def observe(self, into: Observations) -> None:
        """Read the scores of all cells, and find the lowest and the highest."""
        super().observe(into)
        cells = [self.row(self.split, "uas", name) for name in self.rows]
        for treebank in self.words:
            found = {
                cell: statistics.mean(c.value for c in seeds[treebank].values())
                for cell in cells
                if treebank in (seeds := into.seeds(cell))
            }
            for name, choose in (("lowest", min), ("highest", max)):
                if found:
                    cell = choose(found, key=lambda cell: found[cell])
                    own = self.row(self.split, "uas", name)
                    into.copy(cell, own, treebank)


@dataclass
class ProbabilityStudy(Study):
    """Scores without punctuation, sizes and calibration, of Goldberg (2013)."""

    rows: Mapping[str, Setting]
    split: str

    def settings(self) -> Sequence[Setting]:
        """The settings of the rows."""
        return list(self.rows.values())

    def complete(self) -> list[str]:
        """Train and measure."""
        failures = self.lab.complete(self.runs, "", str(self))
        measuring = f"{self}, measuring"
        return failures + self.lab.measure(self.runs, MEASURING, self.split, measuring)

    def observe(self, into: Observations) -> None:
        """Read scores, numbers of parameters and calibration."""
        for name, setting in self.rows.items():
            for run in self.runs:
                file = self.lab.measured_file(run, MEASURING, self.split)
                if run.setting == setting and file.exists():
                    self._read(into, name, run, read_json(file))

    def _read(
        self, into: Observations, name: str, run: Run, record: Mapping[str, Any]
    ) -> None:
        result = Result(record["scores"][NO_PUNCTUATION], {})
        _add_scores(self, into, self.split, name, run, result)
        size = Counts([record["parameters"] / 1000], [1], unit=1)
        into.add(self.row(self.split, "parameters", name), self.lab, run, size)
        if name != goldberg_2013.MAIN or record["calibration"] is None:
            return
        bins = {
            f"{i / 10:.1f}": each
            for i, each in enumerate(record["calibration"][TRANSITIONS]["bins"])
        }
        for label, each in bins.items():
            right = Counts([each["count"] * each["accuracy"]], [each["count"]])
            into.add(self.row(self.split, "calibration", label), self.lab, run, right)
        chosen = {low: bins[f"{low:.1f}"] for low in CALIBRATED}
        away = distance(
            {low: (b["count"], 100 * b["accuracy"]) for low, b in chosen.items()}
        )
        into.add(
            self.row(self.split, "calibration", DISTANCE),
            self.lab,
            run,
            Counts([away], [1], unit=1),
        )


@dataclass
class FragmentationStudy(Study):
    """Root attachment and Unshift, of Nivre & Fernández-González (2014)."""

    setting: Setting
    splits: tuple[str, ...]

    def settings(self) -> Sequence[Setting]:
        """The one setting of both systems."""
        return [self.setting]

    def complete(self) -> list[str]:
        """Train, and parse with both systems."""
        failures = self.lab.complete(self.runs, "", str(self))
        for run in self.runs:
            if self.lab.directory(run).exists():
                for split in self.splits:
                    self._analysis(run, split)
        return failures

    def _analysis(self, run: Run, split: str) -> fragmentation.Analysis:
        path = self.lab.treebank_file(run.treebank, split)
        file = self.lab.measured_file(run, "both-systems", split)
        record = kept(
            file, lambda: asdict(fragmentation.analyse(self.lab.model(run), path, 0))
        )
        return fragmentation.Analysis.from_record(record)

    def observe(self, into: Observations) -> None:
        """Read the scores, and the recall on leftover words."""
        for run in self.runs:
            for split in self.splits:
                if self.lab.measured_file(run, "both-systems", split).exists():
                    self._read(into, run, split)

    def _read(self, into: Observations, run: Run, split: str) -> None:
        analysis = self._analysis(run, split)
        for i, name in enumerate(("old", "new"), 1):
            sentences = getattr(analysis, name)
            for measure, (part, whole) in COUNTS.items():
                counts = Counts(
                    [getattr(c, part) for c in sentences],
                    [getattr(c, whole) for c in sentences],
                )
                into.add(self.row(split, measure, name), self.lab, run, counts)
            recall = Counts(
                [each[i] for each in analysis.possible],
                [each[0] for each in analysis.possible],
            )
            into.add(self.row(split, "recall", name), self.lab, run, recall)


@dataclass
class RankingStudy(Study):
    """HC-search, of Liu et al. (2015)."""

    plan: HCSearchPlan
    splits: tuple[str, ...]
    methods: tuple[Method, ...] = METHODS

    @property
    def rankings(self) -> Rankings:
        """The rerankers."""
        return Rankings(self.lab, self.plan)

    def settings(self) -> Sequence[Setting]:
        """The settings of the heuristics."""
        return list(dict.fromkeys(self.plan.setting(m) for m in self.methods))

    def items(self) -> dict[tuple[Run, Method], None]:
        """All methods with the runs of their heuristics."""
        return dict.fromkeys(
            (self.plan.run(name, method, seed), method)
            for name in self.words
            for seed in range(1, self.seeds + 1)
            for method in self.methods
        )

    def seconds_left(self) -> float:
        """With the parsers of the folds, and the rerankers."""
        seconds = super().seconds_left()
        rankings = self.rankings
        for run in self.runs:
            own = [m for r, m in self.items() if r == run and m.groups]
            missing = [m for m in own if not rankings.model(run, m).exists()]
            seconds += len(missing) * 2 * PROCESS
            if missing:
                epochs = self.plan.fold_epochs / self.plan.epochs
                share = (self.plan.folds - 1) * epochs
                seconds += share * self._seconds(run)
        return seconds

    def complete(self) -> list[str]:
        """Train beams and rerankers, and measure them."""
        failures = self.lab.complete(self.runs, "", str(self))
        ready = {
            item: None for item in self.items() if self.lab.directory(item[0]).exists()
        }
        for split in self.splits:
            failures += self.rankings.complete(ready, split, self.lab.jobs)
        return failures

    def observe(self, into: Observations) -> None:
        """Read scores and losses."""
        for split in self.splits:
            records = self.rankings.records(self.items(), split)
            for (run, method), record in records.items():
                name = str(method)
                _add_scores(self, into, split, name, run, Result(record, {}), name)
                if "loss_rows" not in record:
                    # Older versions kept the sums alone.
                    continue
                columns = list(zip(*record["loss_rows"], strict=True))
                of = dict(zip(LOSSES, columns, strict=True))
                for measure in ("generation", "mean_distance", "total"):
                    counts = Counts(of[measure], of["words"])
                    into.add(
                        self.row(split, measure, name), self.lab, run, counts, name
                    )


def _add_scores(
    study: Study,
    into: Observations,
    split: str,
    name: str,
    run: Run,
    result: Result,
    more: str = "",
) -> None:
    for measure, (part, whole) in COUNTS.items():
        counts = Counts(result.column(part), result.column(whole))
        into.add(study.row(split, measure, name), study.lab, run, counts, more)


# ---- rows of the papers --------------------------------------------------------------


def oracle_rows(systems: Iterable[str], epochs: int) -> dict[str, Setting]:
    """The rows of table 1 of Goldberg & Nivre (2013)."""
    return {
        f"{system} {oracle}": Setting(system, oracle, epochs=epochs, tag_attr=FINE_TAGS)
        for system in systems
        for oracle in ("static", "dynamic")
    }


def exploration_rows(
    ks: Sequence[int], ps: Sequence[float], epochs: int
) -> dict[str, Setting]:
    """The cells of figure 1 of Goldberg & Nivre (2013)."""
    base = Setting("eager", epochs=epochs, tag_attr=FINE_TAGS)
    return {
        f"k={k}, p={p:g}" if p else "p=0": setting
        for (k, p), setting in sweep(base, ks, ps).items()
    }


def learner_rows(epochs: int, names: Iterable[str] = ()) -> dict[str, Setting]:
    """The rows of Goldberg (2013), some or all."""
    return {
        name: goldberg_2013.setting(name, epochs=epochs, tag_attr=FINE_TAGS)
        for name in names or goldberg_2013.ROWS
    }
