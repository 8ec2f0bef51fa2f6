"""Comparison of learners and exploration, as in the tables of Goldberg (2013)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spacy_dynoracle.confidence.reliability import (
    ARCS,
    CHOSEN,
    HEADS,
    TRANSITIONS,
    short,
)
from spacy_dynoracle.registry.learners import RELATIVE_L1
from spacy_dynoracle.reports.significance import AVERAGE, NOTE
from spacy_dynoracle.reports.tables import (
    MISSING,
    Grid,
    difference,
    mean_and_deviation,
    number,
)

from .goldberg_2013 import (
    BETTER,
    KOREAN,
    KOREAN_BINS,
    MAIN,
    PAPER_ALPHA,
    SPLIT,
    TREEBANK,
    only_main,
    row_of,
    setting,
    title,
)
from .measuring import ALL, NO_PUNCTUATION, PUNCTUATION_NOTE
from .oracles import Comparison, Measure
from .runs import Experiments, Result, Run, read_json
from .settings import RDA, Setting

MODULE = "measuring"
MEASURES: tuple[Measure, ...] = ("uas", "las")


class Measured:
    """The measurements of the finished runs.

    records: records of `measuring.measure` by run. training: time and memory of
    training by run.
    """

    def __init__(
        self,
        records: Mapping[Run, Mapping[str, Any]],
        training: Mapping[Run, Mapping[str, Any]],
    ) -> None:
        self.records = records
        self.training = training

    @classmethod
    def read(cls, lab: Experiments, runs: Iterable[Run], split: str) -> Measured:
        """Read the measurements of all finished runs."""
        files = {run: lab.measured_file(run, MODULE, split) for run in runs}
        done = {run: file for run, file in files.items() if file.exists()}
        return cls(
            {run: read_json(file) for run, file in done.items()},
            {run: lab.training(run) for run in done},
        )

    def comparison(
        self,
        treebanks: Sequence[str],
        found: Sequence[Setting],
        split: str,
        words: str,
    ) -> Comparison:
        """The comparison of the scores. words: choice of scored words."""
        results = {
            run: Result(record["scores"][words], self.training[run])
            for run, record in self.records.items()
        }
        return Comparison(results, treebanks, found, split, title, words)

    def values(
        self, treebank: str, one: Setting, value: Callable[[Mapping[str, Any]], Any]
    ) -> list[Any]:
        """One value of the records of all seeds."""
        return [
            value(record)
            for run, record in self.records.items()
            if run.treebank == treebank and run.setting == one
        ]


class Tables:
    """The tables of the paper.

    found: settings by their titles. split: split that was measured.
    """

    def __init__(
        self,
        measured: Measured,
        treebanks: Sequence[str],
        found: Mapping[str, Setting],
        split: str,
    ) -> None:
        self.measured = measured
        self.treebanks = list(treebanks)
        self.found = found
        self.split = split
        self.comparisons = {
            words: measured.comparison(treebanks, list(found.values()), split, words)
            for words in (NO_PUNCTUATION, ALL)
        }

    def scores(self, words: str) -> Grid:
        """UAS and LAS (tables 1 and 2)."""
        comparison = self.comparisons[words]
        grid = Grid(
            f"UAS / LAS, {self.split} set, {words}", ["setting", *self.treebanks]
        )
        for name, one in self.found.items():
            grid.add(name, *(_both(comparison, bank, one) for bank in self.treebanks))
        grid.notes.append(comparison.seeds_note())
        if words == NO_PUNCTUATION:
            grid.notes.append(PUNCTUATION_NOTE)
        grid.notes.append(
            "ST: static oracle, preferring REDUCE. ERR and PERCEP+DYN: wrong "
            "predictions followed with p = 0.9 from epoch k + 1 on; SAMPLE: actions "
            "drawn. Gold tags; trees with crossing arcs are not trained on. Step size "
            f"alpha {PAPER_ALPHA:g}, l1 {RELATIVE_L1:g}/words where none is named."
        )
        return grid

    def differences(self) -> list[Grid]:
        """The differences between pairs of settings, over all words, with every
        alpha."""
        steps = dict.fromkeys((s.alpha, s.relative_l1) for s in self.found.values())
        pairs = {}
        for alpha, penalty in steps:
            for better, than in BETTER:
                first, second = (
                    title(setting(row, alpha, relative_l1=penalty))
                    for row in (better, than)
                )
                if first in self.found and second in self.found:
                    pairs[f"{first} - {second}"] = (
                        self.found[first],
                        self.found[second],
                    )
        comparison = self.comparisons[ALL]
        banks = self.treebanks + [AVERAGE] * (len(self.treebanks) > 1)
        grids = []
        for measure in MEASURES:
            heading = f"Differences in {measure.upper()}, {self.split} set, {ALL}"
            grid = Grid(heading, ["settings", *banks], notes=[NOTE])
            for name, pair in pairs.items():
                tested = comparison.differences(*pair, measure)
                grid.add(name, *(difference(tested.get(bank)) for bank in banks))
            grids.append(grid)
        return grids

    def sizes(self) -> Grid:
        """Parameters, bytes, and time and memory of training (table 3)."""
        grid = Grid(
            "Size and training",
            ["treebank", "setting", "parameters", "share", "MB", "CPU s", "peak MB"],
            notes=[
                "Parameters: weights that are not zero; mean over the seeds. Share: of "
                "those of PERCEP+DYN(K=1). MB: of the model file. CPU s, peak MB: of "
                "the whole process of spacy train, mean and largest."
            ],
        )
        for treebank in self.treebanks:
            reference = _mean(
                self.measured.values(
                    treebank,
                    self.found.get("PERCEP+DYN(K=1)", setting("PERCEP+DYN(K=1)")),
                    lambda record: record["parameters"],
                )
            )
            for name, one in self.found.items():
                grid.add(treebank, name, *self._size(treebank, one, reference))
        return grid

    def _size(
        self, treebank: str, one: Setting, reference: float | None
    ) -> tuple[str, ...]:
        parameters = _mean(
            self.measured.values(treebank, one, lambda record: record["parameters"])
        )
        size = _mean(self.measured.values(treebank, one, lambda r: r["bytes"]))
        used = [
            training
            for run, training in self.measured.training.items()
            if run.treebank == treebank and run.setting == one
        ]
        seconds = [u["cpu_seconds"] for u in used if u["cpu_seconds"] is not None]
        peaks = [u["peak_mb"] for u in used if u["peak_mb"] is not None]
        share = parameters / reference if parameters and reference else None
        return (
            number(parameters),
            number(share, 2),
            number(None if size is None else size / 1e6, 1),
            number(_mean(seconds)),
            number(max(peaks, default=None)),
        )

    # ---- calibration -----------------------------------------------------------------

    def bins(self, one: Setting, what: str) -> Grid:
        """The table of calibration (table 4) for the first seed."""
        grid = Grid(
            f"Calibration of {title(one)}, {what}, {self.split} set",
            ["bin", *self.treebanks],
            notes=[
                "(items) per cent correct, first seed. Probabilities are among the "
                "legal actions; correct is what the dynamic oracle says. Forced: only "
                "one action was legal."
            ],
        )
        columns = [self._first_calibration(name, one) for name in self.treebanks]
        for i in range(11):
            cells = [_bin_cell(column, what, i) for column in columns]
            if i or any(cell not in (MISSING, "(0)") for cell in cells):
                grid.add(f"{i / 10:.1f}", *cells)
        return grid

    def errors(self) -> Grid:
        """The expected calibration errors of all settings with probabilities."""
        names = (TRANSITIONS, CHOSEN, HEADS, ARCS)
        grid = Grid(
            f"Expected calibration error, {self.split} set",
            ["treebank", "setting", *names],
            notes=[
                "Mean over the seeds; nothing is fitted. Heads and labelled arcs: "
                "marginals of 64 sampled derivations. See spacy-dynoracle calibrate."
            ],
        )
        for treebank in self.treebanks:
            for name, one in self.found.items():
                if one.learner == RDA:
                    found = self.measured.values(
                        treebank, one, lambda record: record["calibration"]
                    )
                    means = [_mean([each[n]["error"] for each in found]) for n in names]
                    grid.add(treebank, name, *(number(mean, 4) for mean in means))
        return grid

    def _first_calibration(self, treebank: str, one: Setting) -> Any:
        found = self.measured.values(treebank, one, lambda r: r["calibration"])
        return found[0] if found else None

    # ---- the paper -------------------------------------------------------------------

    def published(self) -> list[Grid]:
        """Our scores beside the published ones, for treebanks that have them."""
        if TREEBANK not in self.treebanks or self.split != SPLIT:
            return []
        comparison = self.comparisons[NO_PUNCTUATION]
        grid = Grid(
            f"Goldberg (2013) and here, {TREEBANK}, {SPLIT} set, {NO_PUNCTUATION}",
            ["setting", "UAS", "paper", "LAS", "paper", "parameters", "paper"],
            notes=[
                "The paper has version 1.0 of the treebank, this is 2.0, whose trees "
                "and labels were revised: compare the differences between rows rather "
                "than the scores."
            ],
        )
        for name, one in self.found.items():
            paper = KOREAN[row_of(one)]
            uas, las = (
                mean_and_deviation(comparison.values(TREEBANK, one, measure))
                for measure in MEASURES
            )
            parameters = self.measured.values(TREEBANK, one, lambda r: r["parameters"])
            grid.add(
                name,
                uas,
                f"{paper.uas:.2f}",
                las,
                f"{paper.las:.2f}",
                number(_mean(parameters)),
                MISSING if paper.parameters is None else f"{paper.parameters:,}k",
            )
        return [grid, self._published_bins()]

    def _published_bins(self) -> Grid:
        one = next(s for s in self.found.values() if row_of(s) == MAIN)
        ours = self._first_calibration(TREEBANK, one)
        grid = Grid(
            f"Calibration of {title(one)} in Goldberg (2013) and here, {TREEBANK}",
            ["bin", "here", "paper"],
        )
        for i, (items, correct) in enumerate(KOREAN_BINS, 1):
            grid.add(
                f"{i / 10:.1f}",
                _bin_cell(ours, TRANSITIONS, i),
                f"({short(items)}) {correct}" if items else "(0)",
            )
        return grid

    # ---- choosing alpha --------------------------------------------------------------

    def alphas(self) -> tuple[list[Grid], dict[str, Any]]:
        """The scores of MAIN with each alpha, and their numbers for JSON."""
        grids = []
        for comparison in self.comparisons.values():
            best = {name: self._best(comparison, name) for name in self.treebanks}
            grid = Grid(
                f"{MAIN} by alpha: UAS / LAS, {self.split} set, {comparison.words}",
                ["alpha", *self.treebanks],
                notes=["*: the highest mean LAS.", comparison.seeds_note()],
            )
            for one in only_main(self.found).values():
                cells = [
                    _both(comparison, name, one) + " *" * (one == best[name])
                    for name in self.treebanks
                ]
                grid.add(f"{one.alpha:g}", *cells)
            grids.append(grid)
        return grids, self._records()

    def _best(self, comparison: Comparison, treebank: str) -> Setting | None:
        las = {
            one: statistics.mean(values)
            for one in only_main(self.found).values()
            if (values := comparison.values(treebank, one, "las"))
        }
        return max(las, key=lambda one: las[one], default=None)

    # ---- all of it -------------------------------------------------------------------

    def report(self) -> tuple[list[Grid], dict[str, Any]]:
        """All tables, and their numbers for JSON."""
        grids = [self.scores(NO_PUNCTUATION), self.scores(ALL), *self.differences()]
        grids.append(self.sizes())
        for one in only_main(self.found).values():
            grids += [self.bins(one, TRANSITIONS), self.bins(one, CHOSEN)]
        grids += [self.errors(), *self.published()]
        return grids, self._records()

    def _records(self) -> dict[str, Any]:
        return {
            "split": self.split,
            "scores": {
                words: comparison.records()
                for words, comparison in self.comparisons.items()
            },
            "measured": [
                {
                    "treebank": run.treebank,
                    "setting": title(run.setting),
                    "seed": run.seed,
                    **{k: v for k, v in record.items() if k != "scores"},
                }
                for run, record in self.measured.records.items()
            ],
        }


# ---- cells ---------------------------------------------------------------------------


def _both(comparison: Comparison, treebank: str, one: Setting) -> str:
    """The text "UAS / LAS" of a cell."""
    values = [comparison.values(treebank, one, measure) for measure in MEASURES]
    return " / ".join(map(mean_and_deviation, values)) if values[0] else MISSING


def _bin_cell(calibration: Any, what: str, i: int) -> str:
    """The number of items in a bin and the percentage of correct ones, as in the
    paper."""
    if calibration is None:
        return MISSING
    found = calibration[what]["bins"][i]
    if not found["count"]:
        return "(0)"
    return f"({short(found['count'])}) {100 * found['accuracy']:.0f}"


def _mean(values: Sequence[float]) -> float | None:
    return statistics.mean(values) if values else None
