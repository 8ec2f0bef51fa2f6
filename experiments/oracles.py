"""Comparison of systems and oracles, as in the tables of Goldberg & Nivre (2013)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from spacy_dynoracle.reports.significance import AVERAGE, NOTE, Gain, Paired, compare
from spacy_dynoracle.reports.tables import (
    MISSING,
    Grid,
    difference,
    mean_and_deviation,
    number,
)

from .runs import Result, Run
from .settings import SYSTEMS, Setting

Measure = Literal["uas", "las"]
# Pairs of settings to compare, by heading. The first should be better.
Pairs = Mapping[str, tuple[Setting, Setting]]
# The numerator and denominator of each measure.
COUNTS: Mapping[Measure, tuple[str, str]] = {
    "uas": ("heads", "words"),
    "las": ("heads_and_labels", "labelled_words"),
}
# The systems whose dynamic oracles are compared.
BETWEEN = (("easy-first", "eager"), ("hybrid", "eager"), ("standard", "hybrid"))


def title(setting: Setting) -> str:
    """The heading of a column."""
    return f"{setting.system} {setting.oracle}"


class Comparison:
    """The results of runs, by treebank and setting.

    results: results of the finished runs. split: split that was scored. title: function
    that returns the heading of a setting. words: choice of scored words.
    """

    def __init__(
        self,
        results: Mapping[Run, Result],
        treebanks: Sequence[str],
        settings: Sequence[Setting],
        split: str,
        title: Callable[[Setting], str] = title,
        words: str = "all words",
    ) -> None:
        self.title = title
        self.words = words
        self.treebanks = list(treebanks)
        self.settings = list(settings)
        self.split = split
        self._seeds: dict[tuple[str, Setting], dict[int, Result]] = {}
        for run, result in sorted(results.items(), key=lambda item: item[0].seed):
            seeds = self._seeds.setdefault((run.treebank, run.setting), {})
            seeds[run.seed] = result

    def seeds(self, treebank: str, setting: Setting) -> dict[int, Result]:
        """The results of all seeds."""
        return self._seeds.get((treebank, setting), {})

    def values(self, treebank: str, setting: Setting, measure: Measure) -> list[float]:
        """The scores of all seeds in per cent."""
        return [
            result.percent(*COUNTS[measure])
            for result in self.seeds(treebank, setting).values()
        ]

    # ---- differences -----------------------------------------------------------------

    def differences(
        self, better: Setting, than: Setting, measure: Measure
    ) -> dict[str, Gain]:
        """The difference on each treebank where both settings have a common seed, and
        the average if all treebanks have one."""
        return compare(
            {name: self._paired(name, better, than, measure) for name in self.treebanks}
        )

    def _paired(
        self, treebank: str, better: Setting, than: Setting, measure: Measure
    ) -> Paired | None:
        first = self.seeds(treebank, better)
        second = self.seeds(treebank, than)
        common = [seed for seed in first if seed in second]
        if not common:
            return None
        part, whole = COUNTS[measure]
        gains = [first[s].column(part) - second[s].column(part) for s in common]
        words = sum(int(first[seed].column(whole).sum()) for seed in common)
        return Paired(np.concatenate(gains), words)

    # ---- tables ----------------------------------------------------------------------

    def score_table(self, measure: Measure) -> Grid:
        """Mean and standard deviation over the seeds of every treebank and setting."""
        grid = Grid(
            f"{measure.upper()}, {self.split} set, {self.words}",
            ["treebank", *map(self.title, self.settings)],
        )
        for treebank in self.treebanks:
            cells = [
                mean_and_deviation(self.values(treebank, setting, measure))
                for setting in self.settings
            ]
            grid.add(treebank, *cells)
        if len(self.treebanks) > 1:
            grid.add(AVERAGE, *(self._average(s, measure) for s in self.settings))
        grid.notes.append(self.seeds_note())
        grid.notes += _static_notes(self.settings)
        return grid

    def _average(self, setting: Setting, measure: Measure) -> str:
        values = [self.values(name, setting, measure) for name in self.treebanks]
        if not all(values):
            return MISSING
        return f"{statistics.mean(statistics.mean(v) for v in values):.2f}"

    def seeds_note(self) -> str:
        """A note that says over which seeds the numbers in the tables are means."""
        numbers = {
            len(self.seeds(treebank, setting))
            for treebank in self.treebanks
            for setting in self.settings
        } - {0}
        if not numbers:
            return "Nothing is done yet."
        if numbers == {1}:
            return "One seed."
        shown = " to ".join(map(str, sorted({min(numbers), max(numbers)})))
        return f"Mean ± standard deviation over {shown} seeds."

    def difference_table(self, pairs: Pairs, measure: Measure, what: str) -> Grid:
        """The differences between pairs of settings, by heading, and their
        significance."""
        grid = Grid(f"{what}, {measure.upper()}", ["treebank", *pairs], notes=[NOTE])
        found = [self.differences(*pair, measure) for pair in pairs.values()]
        for name in self.treebanks + [AVERAGE] * (len(self.treebanks) > 1):
            grid.add(name, *(difference(tested.get(name)) for tested in found))
        return grid

    def cost_table(self) -> Grid:
        """The time and memory that training used."""
        grid = Grid(
            "Training",
            ["treebank", "setting", "seeds", "CPU s", "peak MB", "given up"],
            notes=[
                "CPU s: of the whole process of spacy train, mean. Peak MB: the "
                "largest. Given up: sentences whose training was broken off, mean."
            ],
        )
        for treebank in self.treebanks:
            for setting in self.settings:
                used = [r.training for r in self.seeds(treebank, setting).values()]
                grid.add(
                    treebank,
                    self.title(setting),
                    str(len(used)),
                    number(_mean(used, "cpu_seconds")),
                    number(max((u["peak_mb"] or 0 for u in used), default=None)),
                    number(_mean(used, "given_up"), 1),
                )
        return grid

    # ---- for JSON --------------------------------------------------------------------

    def difference_records(self, pairs: Pairs) -> list[dict[str, Any]]:
        """The numbers in the tables of differences."""
        return [
            {
                "better": self.title(better),
                "than": self.title(than),
                "measure": measure,
                "treebank": name,
                **asdict(tested),
            }
            for better, than in pairs.values()
            for measure in COUNTS
            for name, tested in self.differences(better, than, measure).items()
        ]

    def records(self) -> list[dict[str, Any]]:
        """The scores of every run."""
        return [
            {
                "treebank": treebank,
                **asdict(setting),
                "seed": seed,
                "uas": result.uas,
                "las": result.las,
                "scores": result.scores,
                "words_per_second": result.words_per_second,
                "training": result.training,
            }
            for treebank in self.treebanks
            for setting in self.settings
            for seed, result in self.seeds(treebank, setting).items()
        ]


def report(comparison: Comparison) -> tuple[list[Grid], dict[str, Any]]:
    """The tables of a comparison of oracles and systems, and their numbers for JSON."""
    by_title = {title(setting): setting for setting in comparison.settings}
    oracles = _pairs(
        by_title, {name: (f"{name} dynamic", f"{name} static") for name in SYSTEMS}
    )
    systems = _pairs(
        by_title,
        {
            f"{first} - {second}": (f"{first} dynamic", f"{second} dynamic")
            for first, second in BETWEEN
        },
    )
    measures: tuple[Measure, ...] = ("uas", "las")
    grids = [comparison.score_table(measure) for measure in measures]
    for pairs, what in (
        (oracles, "Dynamic less static"),
        (systems, "Between systems, dynamic"),
    ):
        if pairs:
            grids += [comparison.difference_table(pairs, m, what) for m in measures]
    grids.append(comparison.cost_table())
    values = {
        "split": comparison.split,
        "runs": comparison.records(),
        "differences": comparison.difference_records({**oracles, **systems}),
    }
    return grids, values


def _pairs(
    by_title: Mapping[str, Setting], names: Mapping[str, tuple[str, str]]
) -> dict[str, tuple[Setting, Setting]]:
    """The pairs for which both settings are present."""
    return {
        heading: (by_title[first], by_title[second])
        for heading, (first, second) in names.items()
        if first in by_title and second in by_title
    }


def _static_notes(settings: Sequence[Setting]) -> list[str]:
    names = [s.system for s in settings if s.oracle == "static"]
    return [
        "Static: "
        + "; ".join(f"{name}, {SYSTEMS[name].static_name}" for name in names)
        + "."
    ] * bool(names)


def _mean(records: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [record[name] for record in records if record.get(name) is not None]
    return statistics.mean(values) if values else None
