"""The heat maps of exploration parameters (Goldberg & Nivre 2013, Figure 1)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy_dynoracle.reports.pictures import save_picture
from spacy_dynoracle.reports.tables import MISSING, Grid

from .runs import Result, Run
from .settings import Setting

# A cell is the mean over the seeds, or None if no run is done.
Cells = Mapping[tuple[int, float], float | None]


def sweep(
    base: Setting, ks: Sequence[int], ps: Sequence[float]
) -> dict[tuple[int, float], Setting]:
    """The setting of each k and p. At p = 0 training does not explore, so k has no
    effect and all k share one run."""
    return {(k, p): replace(base, k=k if p else 0, p=p) for k in ks for p in ps}


def cells(
    results: Mapping[Run, Result],
    treebank: str,
    settings: Mapping[tuple[int, float], Setting],
    measure: str = "uas",
) -> dict[tuple[int, float], float | None]:
    """The mean score of each k and p in per cent. measure: uas or las."""
    return {
        key: _mean(
            getattr(result, measure)
            for run, result in results.items()
            if run.treebank == treebank and run.setting == setting
        )
        for key, setting in settings.items()
    }


def table(treebank: str, split: str, seeds: int, values: Cells) -> Grid:
    """A table with a row for each k, a column for each p, and their means."""
    ks, ps = axes(values)
    grid = Grid(
        f"{treebank}: UAS by k and p, {split} set, all words",
        ["", *(f"p = {p:g}" for p in ps), "mean"],
    )
    for k in ks:
        row = [values[k, p] for p in ps]
        grid.add(f"k = {k}", *map(_shown, row), _shown(_mean(row)))
    columns = [_mean(values[k, p] for k in ks) for p in ps]
    grid.add("mean", *map(_shown, columns), _shown(_mean(columns)))
    known = [value for value in values.values() if value is not None]
    if known:
        grid.notes.append(
            f"Lowest {min(known):.2f}, highest {max(known):.2f}; seeds: {seeds}. "
            "p = 0 is one model for all k."
        )
    return grid


def records(
    results: Mapping[Run, Result],
    treebank: str,
    settings: Mapping[tuple[int, float], Setting],
) -> list[dict[str, Any]]:
    """The records of all cells, for JSON."""
    uas = cells(results, treebank, settings)
    las = cells(results, treebank, settings, "las")
    return [
        {"treebank": treebank, "k": k, "p": p, "uas": uas[k, p], "las": las[k, p]}
        for k, p in settings
    ]


def axes(values: Cells) -> tuple[list[int], list[float]]:
    """All values of k and all values of p, in ascending order."""
    return sorted({k for k, _ in values}), sorted({p for _, p in values})


def heat_map(title: str, values: Cells, path: Path) -> list[Path]:
    """Draw the cells and their values, as PNG and as SVG.

    path: path of the files without a suffix. Needs matplotlib.
    """
    # Parsing does not need matplotlib, so users may lack it.
    from matplotlib.figure import Figure

    ks, ps = axes(values)
    rows = [[_or_nan(values[k, p]) for p in ps] for k in ks]
    figure = Figure(figsize=(1.2 * len(ps) + 2, 0.8 * len(ks) + 1.4))
    plot = figure.add_subplot()
    image = plot.imshow(rows, cmap="viridis", aspect="auto")
    known = [value for value in values.values() if value is not None]
    light = min(known, default=0) + 0.6 * (
        max(known, default=0) - min(known, default=0)
    )
    for i, k in enumerate(ks):
        for j, p in enumerate(ps):
            value = values[k, p]
            # Cells with high values are light. The text must be readable on light and
            # dark.
            color = "white" if value is not None and value < light else "black"
            plot.text(j, i, _shown(value), ha="center", va="center", color=color)
    plot.set_xticks(range(len(ps)), [f"{p:g}" for p in ps])
    plot.set_yticks(range(len(ks)), [str(k) for k in ks])
    plot.set_xlabel("p: probability of following a wrong prediction")
    plot.set_ylabel("k: epochs before that")
    plot.set_title(title)
    figure.colorbar(image, label="UAS")
    figure.set_layout_engine("tight")
    return save_picture(figure, path)


def _mean(values: Sequence[float | None] | Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known else None


def _shown(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
