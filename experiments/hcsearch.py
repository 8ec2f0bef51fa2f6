"""Comparison of HC-search with its beam: the tables of Liu, Che, Qin & Liu (2015).

A *heuristic* is a parser with a beam: BASELINE learns from early updates, BEST and
WORST only where the gold derivation falls out of the beam, with the best or the worst
derivation of the beam as negative example. A *reranker*, trained on the candidates of a
heuristic, chooses among them.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from spacy_dynoracle.reports.significance import NOTE, Gain, Paired, compare
from spacy_dynoracle.reports.tables import MISSING, Grid, difference, mean_and_deviation

from .oracles import COUNTS, Measure
from .processes import RunError, execute, work_through
from .runs import Experiments, Result, Run, read_json
from .settings import STRUCTURED, Setting

# The update of each heuristic, by its name in the paper; see `settings.UPDATES`.
HEURISTICS = {"BASELINE": "early", "BEST": "best", "WORST": "worst"}
LOSS_COLUMNS = (
    "generation", "selection", "mean distance", "total", "trees", "gold",
)  # fmt: skip
FINE, COARSE = "fine", "coarse"


@dataclass(frozen=True)
class Method:
    """A row of the tables.

    heuristic: name of the heuristic. groups: ranking groups, None without a reranker.
    mixture: whether the method mixes the scores of heuristic and reranker.
    """

    heuristic: str
    groups: str | None = None
    mixture: bool = False

    def __str__(self) -> str:
        if self.groups is None:
            return self.heuristic
        name = f"{self.heuristic}+{self.groups.upper()}"
        return f"{name}, mixture" if self.mixture else name


BASELINE = Method("BASELINE")
METHODS = (
    BASELINE,
    Method("BEST", FINE),
    Method("BEST", COARSE),
    Method("WORST", FINE),
    Method("WORST", COARSE),
    Method("BASELINE", FINE),
    Method("BEST", FINE, mixture=True),
    Method("WORST", FINE, mixture=True),
    Method("BASELINE", FINE, mixture=True),
)


@dataclass(frozen=True)
class HCSearchPlan:
    """Settings that all methods share.

    folds: number of parsers that find candidates for the reranker. fold_epochs: epochs
    of these parsers. epochs: epochs of the parsers that search. rounds: rounds of
    training of the reranker. jobs: folds at a time. labelled: whether a wrong label is
    a loss of the reranker. tag_attr: as in `Setting`.
    """

    system: str
    nonprojective: str
    beam_size: int
    epochs: int
    folds: int
    fold_epochs: int
    rounds: int
    labelled: bool
    jobs: int
    tag_attr: str | None = None

    def setting(self, method: Method) -> Setting:
        """The setting of the heuristic of a method."""
        return Setting(
            system=self.system,
            oracle="static",
            nonprojective=self.nonprojective,
            epochs=self.epochs,
            learner=STRUCTURED,
            beam_size=self.beam_size,
            update=HEURISTICS[method.heuristic],
            tag_attr=self.tag_attr,
        )

    def run(self, treebank: str, method: Method, seed: int) -> Run:
        """The training of the heuristic of a method."""
        return Run(treebank, self.setting(method), seed)


class Rankings:
    """Trained rerankers and their scores, beside the runs of their heuristics."""

    def __init__(self, lab: Experiments, plan: HCSearchPlan) -> None:
        self.lab = lab
        self.plan = plan

    def model(self, run: Run, method: Method) -> Path:
        """The pipeline of a method."""
        if method.groups is None:
            return self.lab.model(run)
        parts = [method.groups, self._folds(), f"{self.plan.rounds}rounds"]
        if self.plan.labelled:
            parts.append("labelled")
        if method.mixture:
            parts.append("mixture")
        return self.lab.directory(run) / f"ranked-{'-'.join(parts)}"

    def _folds(self) -> str:
        return f"{self.plan.folds}folds-{self.plan.fold_epochs}epochs"

    def scores_file(self, run: Run, method: Method, split: str) -> Path:
        """The file of the scores of a method, which may not exist yet."""
        return self.model(run, method).with_suffix(f".{split}.json")

    def complete(
        self, runs: Mapping[tuple[Run, Method], None], split: str, jobs: int = 1
    ) -> list[str]:
        """Train and score the missing methods, and show a progress bar.

        jobs: number of heuristics at a time. The methods of one heuristic share its
        candidates, so they take turns. Returns the messages of the heuristics with a
        method that failed.
        """
        todo: dict[Run, list[Method]] = {}
        for run, method in runs:
            if not self.scores_file(run, method, split).exists():
                todo.setdefault(run, []).append(method)
        work = partial(self._rank, split=split)
        return work_through("Ranking", list(todo.items()), work, jobs)

    def _rank(self, of_run: tuple[Run, Sequence[Method]], split: str) -> None:
        """Do all methods of a heuristic, also if one fails."""
        run, methods = of_run
        failures = []
        for method in methods:
            try:
                self._do(run, method, split)
            except RunError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _do(self, run: Run, method: Method, split: str) -> None:
        model = self.model(run, method)
        try:
            if not model.exists():
                execute(self._command(run, method), _log(model))
            path = self.lab.treebank_file(run.treebank, split)
            output = self.scores_file(run, method, split)
            command = [f"{__package__}.ranked"]
            command += [str(model), str(path), str(output)]
            execute(command, _log(output))
        except RunError as error:
            raise RunError(f"{run} {method}: {error}") from error

    def _command(self, run: Run, method: Method) -> list[str]:
        files = [
            self.lab.treebank_file(run.treebank, part) for part in ("train", "dev")
        ]
        options = {
            "output": self.model(run, method),
            "work": self.lab.directory(run) / f"candidates-{self._folds()}",
            "folds": self.plan.folds,
            "epochs": self.plan.fold_epochs,
            "rounds": self.plan.rounds,
            "groups": method.groups,
            "jobs": self.plan.jobs,
            "seed": run.seed,
        }
        command = ["spacy_dynoracle", "rank"]
        command += [str(self.lab.model(run)), *map(str, files)]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        command.append("--mixture" if method.mixture else "--no-mixture")
        return [*command, "--labelled"] if self.plan.labelled else command

    def records(
        self, runs: Mapping[tuple[Run, Method], None], split: str
    ) -> dict[tuple[Run, Method], dict[str, Any]]:
        """The records of the methods that are done."""
        files = {item: self.scores_file(*item, split) for item in runs}
        return {i: read_json(file) for i, file in files.items() if file.exists()}


def _beams(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The mean number of different trees of a sentence, and the per cent of sentences
    whose beam has the gold tree; dashes for records without them."""
    rows = [row for record in records for row in record.get("loss_rows", ())]
    if not rows:
        return [MISSING, MISSING]
    trees, gold = np.array(rows, dtype=np.float64)[:, -2:].mean(axis=0)
    return [f"{trees:.1f}", f"{100 * gold:.1f}"]


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}.log")


class HCSearchTables:
    """The results of all methods.

    records: the measurements of `ranked`. speeds: time of each method in units of the
    time of BASELINE, by treebank. methods: the rows.
    """

    def __init__(
        self,
        records: Mapping[tuple[Run, Method], dict[str, Any]],
        speeds: Mapping[str, Mapping[Method, float]],
        split: str,
        methods: Sequence[Method] = METHODS,
    ) -> None:
        self.records = records
        self.speeds = speeds
        self.split = split
        self.methods = methods

    def of(self, treebank: str, method: Method) -> dict[int, dict[str, Any]]:
        """The records of a method by seed."""
        return {
            run.seed: record
            for (run, own), record in self.records.items()
            if run.treebank == treebank and own == method
        }

    def results(self, treebank: str, method: Method) -> dict[int, Result]:
        """The scores of a method by seed."""
        found = self.of(treebank, method)
        return {seed: Result(record, {}) for seed, record in found.items()}

    def gains(
        self, treebanks: Sequence[str], method: Method, measure: Measure
    ) -> dict[str, Gain]:
        """The gains over BASELINE, by treebank."""
        part, whole = COUNTS[measure]
        pairs: dict[str, Paired | None] = {}
        for name in treebanks:
            own, base = self.results(name, method), self.results(name, BASELINE)
            seeds = [seed for seed in own if seed in base]
            differences = [own[s].column(part) - base[s].column(part) for s in seeds]
            words = sum(int(own[seed].column(whole).sum()) for seed in seeds)
            pairs[name] = Paired(np.concatenate(differences), words) if seeds else None
        return compare(pairs)

    def scores(self, treebanks: Sequence[str]) -> list[Grid]:
        """UAS, LAS, gains and speed, a table for each treebank."""
        gains = {
            (method, measure): self.gains(treebanks, method, measure)
            for method in self.methods
            for measure in COUNTS
        }
        grids = []
        for name in treebanks:
            grid = Grid(
                f"{name}, {self.split} set, all words",
                ["", "UAS", "LAS", "gain in UAS", "gain in LAS", "parsing time"],
                notes=[
                    NOTE,
                    "Gains and parsing time: beside BASELINE in the same run.",
                ],
            )
            for method in self.methods:
                found = self.results(name, method).values()
                time = self.speeds.get(name, {}).get(method)
                grid.add(
                    str(method),
                    mean_and_deviation([result.uas for result in found]),
                    mean_and_deviation([result.las for result in found]),
                    *(
                        MISSING
                        if method == BASELINE
                        else difference(gains[method, measure].get(name))
                        for measure in COUNTS
                    ),
                    MISSING if time is None else f"{time:.2f}x",
                )
            grids.append(grid)
        return grids

    def losses(self, treebanks: Sequence[str]) -> list[Grid]:
        """The origin of the errors, a table for each treebank."""
        grids = []
        for name in treebanks:
            grid = Grid(
                f"{name}, {self.split} set: wrong heads in per cent of all words",
                ["", *LOSS_COLUMNS],
                notes=[
                    "Generation: no tree in the beam is better. Selection: of the "
                    "chosen tree beside the best one; total is the sum of both. Mean "
                    "distance: of the chosen tree to the best ones, which is what "
                    "table 2 of the paper calls selection loss. Trees: candidates with "
                    "different heads, mean. Gold: sentences with the gold heads among "
                    "them, per cent."
                ],
            )
            for method in self.methods:
                found = [record["losses"] for record in self.of(name, method).values()]
                grid.add(
                    str(method),
                    *(
                        f"{statistics.mean(losses[key] for losses in found):.2f}"
                        if found
                        else MISSING
                        for key in ("generation", "selection", "mean_distance", "total")
                    ),
                    *_beams(list(self.of(name, method).values())),
                )
            grids.append(grid)
        return grids

    def values(self) -> list[dict[str, Any]]:
        """All results for JSON, without the counts of single sentences."""
        return [
            {
                "treebank": run.treebank,
                "seed": run.seed,
                "method": str(method),
                "uas": Result(record, {}).uas,
                "las": Result(record, {}).las,
                "losses": record["losses"],
                "words_per_second": record["words_per_second"],
                "time": self.speeds.get(run.treebank, {}).get(method),
            }
            for (run, method), record in self.records.items()
        ]
