"""The measurements of all runs of an experiment, and the record of them."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from .gains import Gain, Paired, compare
from .papers import papers
from .plan import Experiment, Row
from .runs import Laboratory, Run, commit, read_json
from .treebanks import language_of
from .verdicts import Counts, Seeds, effects

LOWEST, HIGHEST = "lowest", "highest"
# What is known of a training without measuring its model.
OF_TRAINING = ("cpu_seconds", "given_up", "known_heads")


class Place(NamedTuple):
    """Where a measure stands: a row of the tables of a condition and a split."""

    condition: str
    split: str
    measure: str
    row: str


class Results:
    """The measures of an experiment by place, treebank and seed.

    Args:
        treebanks: Their names.

    Attributes:
        counts: The measures.
        sources: The name of the directory of the run of each.
    """

    def __init__(self, treebanks: Sequence[str]) -> None:
        self.treebanks = list(treebanks)
        self.counts: dict[Place, dict[str, dict[int, Counts]]] = {}
        self.sources: dict[Place, dict[str, dict[int, str]]] = {}

    def add(
        self, place: Place, treebank: str, seed: int, counts: Counts, source: str = ""
    ) -> None:
        """Add a measure of a run."""
        self.counts.setdefault(place, {}).setdefault(treebank, {})[seed] = counts
        self.sources.setdefault(place, {}).setdefault(treebank, {})[seed] = source

    def seeds(self, place: Place) -> Mapping[str, Seeds]:
        """The measures of a place by treebank and seed."""
        return self.counts.get(place, {})

    def values(self, place: Place, treebank: str) -> list[float]:
        """The values of all seeds."""
        return [each.value for each in self.seeds(place).get(treebank, {}).values()]

    def rows(self, condition: str, split: str) -> list[str]:
        """The rows that have a measure, in their order."""
        found = (p.row for p in self.counts if p[:2] == (condition, split))
        return list(dict.fromkeys(found))

    def measures(self, condition: str, split: str) -> list[str]:
        """The measures that some row has, in their order."""
        found = (p.measure for p in self.counts if p[:2] == (condition, split))
        return list(dict.fromkeys(found))

    def gains(self, better: Place, than: Place) -> dict[str, Gain]:
        """The difference on each treebank where both rows have a common seed, and the
        average, with their significance.
        """
        return compare({n: self._paired(better, than, n) for n in self.treebanks})

    def _paired(self, better: Place, than: Place, treebank: str) -> Paired | None:
        first = self.seeds(better).get(treebank, {})
        second = self.seeds(than).get(treebank, {})
        common = [seed for seed in first if seed in second]
        if not common:
            return None
        gains = [
            np.asarray(first[seed].parts) - np.asarray(second[seed].parts)
            for seed in common
        ]
        words = sum(int(np.sum(first[seed].wholes)) for seed in common)
        return Paired(np.concatenate(gains), words)

    def add_extremes(self, condition: str, split: str, measure: str) -> None:
        """Add the rows LOWEST and HIGHEST: on each treebank those of the rows with the
        lowest and the highest mean.
        """
        places = [
            Place(condition, split, measure, row) for row in self.rows(condition, split)
        ]
        for treebank in self.treebanks:
            means = {
                place: statistics.mean(values)
                for place in places
                if (values := self.values(place, treebank))
            }
            choices: tuple[tuple[str, Callable[..., Place]], ...]
            choices = ((LOWEST, min), (HIGHEST, max))
            for name, choose in choices:
                if means:
                    place = choose(means, key=lambda each: means[each])
                    to = Place(condition, split, measure, name)
                    for seed, counts in self.counts[place][treebank].items():
                        source = self.sources[place][treebank][seed]
                        self.add(to, treebank, seed, counts, source)


def read_results(
    lab: Laboratory, experiment: Experiment, treebanks: Sequence[str], seeds: int
) -> Results:
    """The measures of everything that is done."""
    results = Results(treebanks)
    for row in experiment.rows:
        for treebank in treebanks:
            for seed in range(1, seeds + 1):
                run = Run(treebank, row.setting, seed)
                for split in experiment.splits:
                    _read(results, lab, row, run, split)
    if experiment.extremes:
        for condition in {row.condition: None for row in experiment.rows}:
            for split in experiment.splits:
                for measure in experiment.tested:
                    results.add_extremes(condition, split, measure)
    return results


def _read(results: Results, lab: Laboratory, row: Row, run: Run, split: str) -> None:
    source = lab.home(run.base).name
    for metric in row.metrics:
        file = lab.measured_file(run, metric, split)
        if file.exists():
            for name, measures in read_json(file).items():
                for measure, values in measures.items():
                    place = Place(row.condition, split, measure, name or row.name)
                    counts = Counts(**values)
                    results.add(place, run.treebank, run.seed, counts, source)
    training = lab.training(run) or {}
    for measure in OF_TRAINING:
        if training.get(measure) is not None:
            place = Place(row.condition, split, measure, row.name)
            counts = Counts([training[measure]], [1], unit=1)
            results.add(place, run.treebank, run.seed, counts, source)


# ---- for JSON ------------------------------------------------------------------------


def record_of(
    experiment: Experiment,
    lab: Laboratory,
    results: Results,
    *,
    scale: str,
    seeds: int,
    failures: Sequence[str],
) -> dict[str, Any]:
    """Everything that tables and the page show, for JSON."""
    runs = {
        (lab.home(run.base).name): run.base
        for row in experiment.rows
        for name in results.treebanks
        for run in (Run(name, row.setting, seed) for seed in range(1, seeds + 1))
    }
    config = lab.config.read_bytes()
    return {
        "name": experiment.name,
        "paper": experiment.paper,
        "scale": scale,
        "seeds": seeds,
        "commit": commit(),
        "config": hashlib.sha256(config).hexdigest(),
        "treebanks": {
            name: {
                "language": language_of(name),
                **lab.corpus(Run(name, experiment.rows[0].setting, 1)).sizes,
            }
            for name in results.treebanks
        },
        "failures": list(failures),
        "cells": list(_cells(results, experiment.paper)),
        "effects": list(_effects(results, experiment.paper)),
        "runs": {
            name: {"treebank": run.treebank, "seed": run.seed, **asdict(run.setting)}
            for name, run in runs.items()
        },
    }


def _cells(results: Results, paper: str | None) -> Iterator[dict[str, Any]]:
    """A record for each place and treebank: the mean and each seed with its run."""
    for place, treebanks in results.counts.items():
        for treebank, seeds in treebanks.items():
            values = [counts.value for counts in seeds.values()]
            items = [float(np.sum(counts.wholes)) for counts in seeds.values()]
            deviation = statistics.stdev(values) if len(values) > 1 else None
            yield {
                "paper": paper,
                **place._asdict(),
                "treebank": treebank,
                "mean": round(statistics.mean(values), 4),
                "deviation": None if deviation is None else round(deviation, 4),
                "items": round(statistics.mean(items)),
                "seeds": [
                    {
                        "seed": seed,
                        "value": round(counts.value, 4),
                        "run": results.sources[place][treebank][seed],
                    }
                    for seed, counts in sorted(seeds.items())
                ],
            }


def _effects(results: Results, paper_id: str | None) -> Iterator[dict[str, Any]]:
    """The effects of the claims of a paper of which both rows are measured."""
    for paper in papers():
        for table in paper.tables if paper.id == paper_id else ():
            for claim in table.claims:
                for condition in claim.conditions:
                    better, than = (
                        results.seeds(Place(condition, table.split, table.measure, row))
                        for row in (claim.better, claim.than or claim.better)
                    )
                    each, average = effects(claim, better, than)
                    if average is not None:
                        yield {
                            "table": table.id,
                            "claim": claim.text,
                            "condition": condition,
                            "treebanks": {n: e.as_dict() for n, e in each.items()},
                            "average": average.as_dict(),
                        }
