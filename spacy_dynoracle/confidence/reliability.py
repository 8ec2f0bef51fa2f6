"""Calibration as tables and as reliability diagrams (Goldberg 2013, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import ceil, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.results import Decisions
from ..reports.pictures import save_picture
from ..reports.tables import MISSING, Grid, percent
from .calibration import Bin, Calibration
from .measured import ArcConfidence, calibration_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

TRANSITIONS = "transitions"
CHOSEN = "not forced"
# Titles of diagrams, which stand alone.
HEADINGS = {CHOSEN: "transitions that were not forced"}
HEADS = "heads"
ARCS = "labelled arcs"
Z = 1.96
BAR = "#c9d3de"
POINT = "#1f5a92"


def calibrations(
    found: Decisions | None, arcs: ArcConfidence
) -> dict[str, Calibration]:
    """The calibration of transitions, heads and labelled arcs, by these names.

    Args:
        found: The decisions of derivations; None if there are no transitions.
    """
    measured = {}
    if found is not None:
        measured[TRANSITIONS] = calibration_of(found)
        measured[CHOSEN] = calibration_of(found, forced=False)
    measured[HEADS] = arcs.calibration_of_heads()
    measured[ARCS] = arcs.calibration_of_arcs()
    return measured


# ---- tables --------------------------------------------------------------------------


def bin_table(title: str, measured: Mapping[str, Calibration]) -> Grid:
    """Count, per cent correct and mean value in every bin, side by side."""
    grid = Grid(title, ["bin"])
    for name in measured:
        grid.columns += [name, "% correct", "mean %"]
    for i, bins in enumerate(zip(*(c.bins for c in measured.values()), strict=True)):
        # The paper has no row for values below 0.1.
        if i or any(each.count for each in bins):
            grid.add(
                f"{bins[0].start:.1f}", *(cell for b in bins for cell in _cells(b))
            )
    totals = [
        cell
        for c in measured.values()
        for cell in _cells(Bin(0.0, c.count, c.accuracy, c.mean))
    ]
    grid.add("all", *totals)
    return grid


def summary_table(title: str, measured: Mapping[str, Calibration]) -> Grid:
    """Calibration error, log-likelihood and Brier score of each calibration."""
    columns = ["", "count", "% correct", "mean %", "ECE", "log-likelihood", "Brier"]
    grid = Grid(title, columns)
    for name, c in measured.items():
        grid.add(
            name,
            *_cells(Bin(0.0, c.count, c.accuracy, c.mean)),
            f"{c.error:.4f}",
            f"{c.log_likelihood:.4f}",
            f"{c.brier:.4f}",
        )
    return grid


def calibration_tables(
    measured: Mapping[str, Calibration], title: str, n_samples: int | None
) -> list[Grid]:
    """The tables of `calibrations`.

    Args:
        title: The file and the temperature that were measured.
        n_samples: None for a committee, which has no transitions.
    """
    arcs = {name: measured[name] for name in (HEADS, ARCS)}
    if n_samples is None:
        return _vote_tables(arcs, title)
    transitions = {name: measured[name] for name in (TRANSITIONS, CHOSEN)}
    first = bin_table(f"Transitions, {title}", transitions)
    first.notes.append(
        "Value: the probability of the chosen transition among the legal actions. "
        "Correct: it is among those of the dynamic oracle. Bin b: values from b to b + "
        "0.1; 1.0: 1 itself. Forced: only one action was legal; it is certain."
    )
    second = bin_table(f"Arcs of the greedy parse, {title}", arcs)
    second.notes.append(
        f"Value: the share of {n_samples} sampled derivations that have the head, and "
        "the head with its label. Words without a gold head are left out."
    )
    third = summary_table(f"Calibration, {title}", measured)
    third.notes.append(
        "ECE: expected calibration error, over the bins above. Log-likelihood: mean, "
        "in nats; of transitions that of the correct ones among the legal, of arcs "
        "that of the gold head (and label), its share of the samples taken as (count + "
        "0.5) / (samples + 1). Brier: mean squared distance of value and correctness."
    )
    n_impossible = sum(c.n_impossible for c in transitions.values())
    if n_impossible:
        third.notes.append(
            "Decisions in which no legal action is correct, because the model does not "
            f"know the label, are left out of the log-likelihood: {n_impossible:,}."
        )
    return [first, second, third]


def _vote_tables(arcs: Mapping[str, Calibration], title: str) -> list[Grid]:
    """The tables of a committee."""
    first = bin_table(f"Arcs of the tree with the most votes, {title}", arcs)
    first.notes.append(
        "Value: the probability of the head, and of the head with its label, by its "
        "share of the votes and of the derivations that members draw. Words without a "
        "gold head are left out. Bin b: values from b to b + 0.1; 1.0: 1 itself."
    )
    second = summary_table(f"Calibration, {title}", arcs)
    second.notes.append(
        "ECE: expected calibration error, over the bins above. Log-likelihood: mean, "
        "in nats, of an arc being right or wrong, as it is; shares of votes are taken "
        "as (votes + 0.5) / (members + 1). Brier: mean squared distance of value and "
        "correctness."
    )
    return [first, second]


def calibration_dicts(measured: Mapping[str, Calibration]) -> dict[str, Any]:
    """Calibrations as values for JSON."""
    return {name: asdict(each) for name, each in measured.items()}


def _cells(b: Bin) -> tuple[str, str, str]:
    if not b.count:
        return "0", MISSING, MISSING
    return f"{b.count:,}", percent(b.accuracy), percent(b.mean)


# ---- pictures ------------------------------------------------------------------------


def diagram(measured: Mapping[str, Calibration], title: str, path: Path) -> list[Path]:
    """Draw a reliability diagram of each, as PNG and SVG.

    Above is the share of correct items in each bin against their mean value, with 95 %
    Wilson intervals; below is the number of items in each bin.

    Args:
        path: Path of the files without a suffix. Needs matplotlib.
    """
    from matplotlib.figure import Figure

    n_columns = min(len(measured), 2)
    n_rows = ceil(len(measured) / n_columns)
    figure = Figure(figsize=(4.6 * n_columns, 5.2 * n_rows + 0.4), layout="constrained")
    figure.suptitle(title)
    parts = figure.subfigures(n_rows, n_columns, squeeze=False).ravel()
    for part, (name, each) in zip(parts, measured.items(), strict=False):
        _panel(part, name, each)
    return save_picture(figure, path)


def _panel(part: Figure | SubFigure, name: str, measured: Calibration) -> None:
    bins = [b for b in measured.bins if b.count]
    upper, lower = part.subplots(
        2, 1, sharex=True, gridspec_kw={"height_ratios": [3, 1.25], "hspace": 0.04}
    )
    upper.plot([0, 1], [0, 1], color="0.55", linewidth=1, linestyle="--", zorder=1)
    means, shares = [b.mean for b in bins], np.array([b.accuracy for b in bins])
    ends = np.array([wilson(b.accuracy, b.count) for b in bins]).reshape(-1, 2).T
    upper.errorbar(
        means,
        shares,
        # A bound of a share of 0 or 1 may miss it by a rounding error.
        yerr=np.maximum([shares - ends[0], ends[1] - shares], 0),
        fmt="o-",
        markersize=5,
        linewidth=1.2,
        elinewidth=1,
        capsize=2,
        color=POINT,
        zorder=3,
    )
    upper.set_title(HEADINGS.get(name, name), size=10)
    upper.text(
        0.97,
        0.03,
        f"n = {measured.count:,}\n{100 * measured.accuracy:.2f} % correct\n"
        f"mean {100 * measured.mean:.2f} %\nECE {measured.error:.4f}",
        transform=upper.transAxes,
        ha="right",
        va="bottom",
        size=8.5,
        bbox={"facecolor": "white", "edgecolor": "0.85", "pad": 4},
    )
    upper.set_ylabel("share correct")
    upper.set_xlim(-0.03, 1.08)
    upper.set_ylim(-0.03, 1.03)
    upper.grid(color="0.92")
    upper.set_axisbelow(True)
    _bars(lower, measured.bins)


def _bars(axes: Any, bins: Sequence[Bin]) -> None:
    """Draw the number of items in each bin; the bin of 1 itself is a narrow bar."""
    shown = [b for b in bins if b.count]
    widths = [0.09 if b.start < 1 else 0.05 for b in shown]
    lefts = [b.start + (0.005 if b.start < 1 else 0.012) for b in shown]
    axes.bar(lefts, [b.count for b in shown], widths, align="edge", color=BAR)
    axes.set_yscale("log")
    axes.minorticks_off()
    largest = max((b.count for b in shown), default=1)
    axes.set_ylim(0.5, max(largest, 10) * 30)
    for b, left, width in zip(shown, lefts, widths, strict=True):
        axes.text(
            left + width / 2,
            b.count * 1.3,
            short(b.count),
            ha="center",
            va="bottom",
            size=7,
        )
    axes.set_xticks([i / 5 for i in range(6)])
    axes.set_xlabel("probability")
    axes.set_ylabel("items")
    axes.tick_params(axis="y", labelsize=7)


def short(count: int) -> str:
    """A number in about four characters, as the paper writes it: 18.5k."""
    if count < 1000:
        return str(count)
    if count < 9950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1000:.0f}k"


def wilson(share: float, count: int, z: float = Z) -> tuple[float, float]:
    """The 95 % confidence interval of a share (Wilson score)."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = (
        z
        * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
        / (1 + z * z / count)
    )
    return max(centre - half, 0.0), min(centre + half, 1.0)
