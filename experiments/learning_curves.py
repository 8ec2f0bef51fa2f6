"""Tables and pictures of the learning curves of active learning."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spacy_dynoracle.reports.pictures import save_picture
from spacy_dynoracle.reports.tables import MISSING, Grid, mean_and_deviation, number

from .active_learning import ALL, RANDOM, Chain

# People with any kind of colour vision can tell these colours apart (Okabe & Ito).
COLOURS = ("#666666", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
MEASURE = "las"


@dataclass(frozen=True)
class Curve:
    """The steps of one strategy. Each step has the values of the seeds that have done
    it.

    words: number of annotated words. las: LAS in per cent, over all words.
    """

    words: list[list[float]]
    las: list[list[float]]

    @property
    def mean_words(self) -> list[float]:
        """The mean number of words of each step."""
        return [statistics.mean(values) for values in self.words]

    @property
    def mean_las(self) -> list[float]:
        """The mean LAS of each step."""
        return [statistics.mean(values) for values in self.las]

    def words_for(self, las: float) -> float | None:
        """The number of words at which the mean curve reaches a LAS, None if it never
        does.

        The curve is a straight line between two steps.
        """
        points = list(zip(self.mean_words, self.mean_las, strict=True))
        for (words, low), (more_words, high) in pairwise(points):
            if low < las <= high:
                share = (las - low) / (high - low)
                return words + share * (more_words - words)
        return points[0][0] if points and points[0][1] >= las else None


# The steps of each strategy with each seed, as `Chain.records` returns them.
Records = Mapping[tuple[str, int], Sequence[Mapping[str, Any]]]


def report(
    chains: Mapping[str, Sequence[Chain]],
    strategies: Sequence[str],
    split: str,
    output: Path,
) -> tuple[list[Grid], dict[str, Any], list[Path]]:
    """Tables, values for JSON and pictures of the finished steps of all treebanks.

    output: directory of the pictures.
    """
    grids, values, files = [], {}, []
    for treebank, of_treebank in chains.items():
        records = records_of(of_treebank)
        title = f"{treebank}: LAS by annotated words, {split} set, all words"
        grids.append(table(title, records, strategies))
        values[treebank] = records_for_json(records)
        if any(records.values()):
            path = output / f"active-learning-{treebank}"
            files += picture(title, records, strategies, path)
    return grids, values, files


def records_of(chains: Sequence[Chain]) -> Records:
    """The finished steps of the chains of one treebank."""
    return {(chain.strategy, chain.seed): chain.records() for chain in chains}


def curve(records: Records, strategy: str) -> Curve:
    """The curve of a strategy."""
    of_seeds = [steps for (name, _), steps in records.items() if name == strategy]
    n_steps = max(map(len, of_seeds), default=0)
    found = [[s[step] for s in of_seeds if len(s) > step] for step in range(n_steps)]
    return Curve(
        [[record["words"] for record in step] for step in found],
        [[record[MEASURE] for record in step] for step in found],
    )


def table(title: str, records: Records, strategies: Sequence[str]) -> Grid:
    """LAS of every strategy at every number of words, and its gain over random
    choice."""
    curves = {name: curve(records, name) for name in strategies}
    others = [name for name in strategies if name != RANDOM and RANDOM in strategies]
    grid = Grid(
        title, ["words", *strategies, *(f"{name} - {RANDOM}" for name in others)]
    )
    for step in range(max((len(c.words) for c in curves.values()), default=0)):
        words = [
            w for c in curves.values() if step < len(c.words) for w in c.words[step]
        ]
        cells = [
            mean_and_deviation(c.las[step]) if step < len(c.las) else MISSING
            for c in curves.values()
        ]
        gains = [_gain(records, name, step) for name in others]
        grid.add(number(statistics.mean(words)), *cells, *gains)
    everything = curve(records, ALL)
    if everything.words:
        las = mean_and_deviation(everything.las[0])
        row = [las] * len(strategies)
        grid.add(number(everything.mean_words[0]), *row, *[MISSING] * len(others))
        grid.notes.append("The last row is training on everything.")
    grid.notes.append(
        "LAS, per cent: mean and standard deviation over the seeds; differences "
        "between the same seeds. Numbers of words differ by less than a sentence."
    )
    grid.notes += [n for name in others if (n := _saving(curves, name)) is not None]
    return grid


def _gain(records: Records, strategy: str, step: int) -> str:
    """The gain of a strategy over random choice: mean and deviation over the seeds."""
    gains = [
        steps[step][MEASURE] - records[RANDOM, seed][step][MEASURE]
        for (name, seed), steps in records.items()
        if name == strategy
        and min(len(steps), len(records.get((RANDOM, seed), ()))) > step
    ]
    if not gains:
        return MISSING
    return f"{statistics.mean(gains):+.2f}" + (
        f" ± {statistics.stdev(gains):.2f}" if len(gains) > 1 else ""
    )


def _saving(curves: Mapping[str, Curve], strategy: str) -> str | None:
    """The number of words a strategy needs for the final score of random choice."""
    at_random = curves[RANDOM]
    if not at_random.words:
        return None
    las, words = at_random.mean_las[-1], at_random.mean_words[-1]
    needed = curves[strategy].words_for(las)
    if needed is None:
        return None
    percent = 100 * (needed / words - 1)
    return (
        f"{strategy} needs {needed:,.0f} words for the {las:.2f} that {RANDOM} has "
        f"with {words:,.0f} ({percent:+.0f} %)."
    )


def records_for_json(records: Records) -> list[dict[str, Any]]:
    """The values of every step, for JSON."""
    return [
        {
            "strategy": strategy,
            "seed": seed,
            "step": step,
            "sentences": len(record["added"]),
            **{key: record[key] for key in ("words", "uas", "las")},
        }
        for (strategy, seed), steps in records.items()
        for step, record in enumerate(steps)
    ]


def picture(
    title: str, records: Records, strategies: Sequence[str], path: Path
) -> list[Path]:
    """Draw mean curves with their standard deviations, as PNG and as SVG.

    path: path of the files without a suffix. Needs matplotlib.
    """
    # Parsing does not need matplotlib, so users may lack it.
    from matplotlib.figure import Figure
    from matplotlib.ticker import StrMethodFormatter

    figure = Figure(figsize=(7, 4.5))
    plot = figure.add_subplot()
    for strategy, colour in zip(strategies, COLOURS, strict=False):
        found = curve(records, strategy)
        words, las = np.array(found.mean_words), np.array(found.mean_las)
        spread = np.array(
            [statistics.stdev(v) if len(v) > 1 else 0.0 for v in found.las]
        )
        plot.plot(words, las, marker="o", color=colour, label=strategy)
        plot.fill_between(
            words, las - spread, las + spread, color=colour, alpha=0.2, linewidth=0
        )
    everything = curve(records, ALL)
    if everything.words:
        plot.axhline(
            everything.mean_las[0],
            color="black",
            linestyle="--",
            linewidth=1,
            label=f"all {everything.mean_words[0]:,.0f} words",
        )
    plot.set_xlabel("annotated words")
    plot.set_ylabel("LAS")
    plot.set_title(title)
    plot.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    plot.grid(alpha=0.3)
    plot.legend(loc="lower right")
    figure.set_layout_engine("tight")
    return save_picture(figure, path)
