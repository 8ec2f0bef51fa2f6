"""The measures of all runs that a report on the papers is made of."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .papers import Claim, Paper, PaperTable
from .runs import Experiments, Run
from .verdicts import Counts, Effect, Seeds, effects


class Row(NamedTuple):
    """A row of our tables: paper (its id), condition, split, measure, and the name of
    the row in the table of the paper."""

    paper: str
    condition: str
    split: str
    measure: str
    name: str


@dataclass
class Observations:
    """Measures of runs.

    rows: the counts of each row by treebank and seed. sources: the id of the run of
    each of them. runs: a description of each run by its id.
    """

    rows: dict[Row, dict[str, dict[int, Counts]]] = field(default_factory=dict)
    sources: dict[Row, dict[str, dict[int, str]]] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(
        self, row: Row, lab: Experiments, run: Run, counts: Counts, more: str = ""
    ) -> None:
        """Add a measure of a run. more: what was done to the model after its training,
        if anything."""
        name = f"{row.condition}/{run.treebank}/{run.setting.name}/seed{run.seed}"
        self.rows.setdefault(row, {}).setdefault(run.treebank, {})[run.seed] = counts
        source = f"{name}{more and ' ' + more}"
        sources = self.sources.setdefault(row, {}).setdefault(run.treebank, {})
        sources[run.seed] = source
        if name not in self.runs:
            self.runs[name] = _described(row.condition, lab, run)

    def copy(self, row: Row, to: Row, treebank: str) -> None:
        """Let a row have the measures of another one on a treebank."""
        for table in (self.rows, self.sources):
            table.setdefault(to, {})[treebank] = table[row][treebank]  # type: ignore[assignment]

    def of(self, paper: Paper, table: PaperTable, row: str, condition: str) -> Row:
        """The row of ours that belongs to a row of a table."""
        return Row(paper.id, condition, table.split, table.measure, row)

    def seeds(self, row: Row) -> Mapping[str, Seeds]:
        """The runs of a row by treebank."""
        return self.rows.get(row, {})

    def effects(
        self, paper: Paper, table: PaperTable, claim: Claim, condition: str
    ) -> tuple[dict[str, Effect], Effect | None]:
        """The effects of a claim here: on each treebank, and the average."""
        names = (claim.better, claim.than or claim.better)
        rows = (self.of(paper, table, name, condition) for name in names)
        return effects(claim, *map(self.seeds, rows))

    # ---- for JSON --------------------------------------------------------------------

    def cells(self) -> Iterator[dict[str, Any]]:
        """A record for each row and treebank: the mean and each seed with its run."""
        for row, treebanks in sorted(self.rows.items()):
            for treebank, seeds in treebanks.items():
                sources = self.sources[row][treebank]
                values = [counts.value for counts in seeds.values()]
                yield {
                    **row._asdict(),
                    "treebank": treebank,
                    "mean": round(statistics.mean(values), 4),
                    "deviation": round(statistics.stdev(values), 4)
                    if len(values) > 1
                    else None,
                    "items": round(
                        statistics.mean(float(np.sum(c.wholes)) for c in seeds.values())
                    ),
                    "seeds": [
                        {
                            "seed": seed,
                            "value": round(counts.value, 4),
                            "run": sources[seed],
                        }
                        for seed, counts in sorted(seeds.items())
                    ],
                }


def _described(condition: str, lab: Experiments, run: Run) -> dict[str, Any]:
    training = lab.training(run)
    config = (lab.directory(run) / "config.cfg").read_bytes()
    return {
        "condition": condition,
        "treebank": run.treebank,
        "seed": run.seed,
        "setting": asdict(run.setting),
        "config": hashlib.sha256(_without_paths(config)).hexdigest(),
        "treebank_files": training["data"],
        "commit": training.get("commit"),
        "cpu_seconds": training["cpu_seconds"],
    }


def _without_paths(config: bytes) -> bytes:
    """The config without its block of paths, which depend on the machine."""
    head, _, rest = config.partition(b"[paths]")
    return head + rest[rest.find(b"\n[") :]
