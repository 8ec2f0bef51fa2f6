"""Cells of tables, and tables as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from spacy_dynoracle.reports.tables import MISSING, Grid, probability

from .gains import Gain


def markdown(grid: Grid) -> str:
    """A table as Markdown, with its title as a heading and the notes below it."""
    lines = [f"## {grid.title}", "", _line(grid.columns)]
    lines.append(_line(["---"] + ["---:"] * (len(grid.columns) - 1)))
    lines += [_line(row) for row in grid.rows]
    for note in grid.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def mean_and_deviation(values: Sequence[float]) -> str:
    """For example "87.10 ± 0.21"; a single value has no deviation, no value is "-"."""
    if not values:
        return MISSING
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{statistics.mean(values):.2f} ± {statistics.stdev(values):.2f}"


def difference(tested: Gain | None) -> str:
    """For example "+1.01 (p = .013 *)", with a star where it is significant; "-" for
    None.
    """
    if tested is None:
        return MISSING
    star = " *" * tested.significant
    return f"{tested.points:+.2f} ({probability(tested.p)}{star})"
