"""Pictures: a heat map of exploration, learning curves, effects with intervals."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import count, pairwise, takewhile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from spacy_dynoracle.util.files import replacing

from .claims import Judged
from .metrics import MEASURES
from .plan import Experiment
from .results import Place, Results
from .settings import ALL, RANDOM
from .verdicts import FAILS, HOLDS, OPEN

# People with any kind of colour vision can tell these colours apart (Okabe & Ito).
COLOURS = ("#666666", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")
DPI = 150
# The files, and notes below the tables.
Drawn = tuple[list[Path], list[str]]
# Of the verdicts.
VERDICTS = {HOLDS: "#0072b2", FAILS: "#d55e00", OPEN: "#7f7f7f"}


def save(figure: Figure, path: Path) -> Path:
    """Write a picture whose text stays text.

    Args:
        path: The file without a suffix.
    """
    figure.set_layout_engine("tight")
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.with_name(f"{path.name}.svg")
    # A fixed salt and no date give the same bytes for the same values.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "spacy_dynoracle"}
    with mpl.rc_context(settings), replacing(file) as stream:
        figure.savefig(stream, format="svg", dpi=DPI, metadata={"Date": None})
    return file


# ---- exploration ---------------------------------------------------------------------


def heat_maps(experiment: Experiment, results: Results, output: Path) -> Drawn:
    """Draw UAS by k and p on each treebank (Goldberg & Nivre 2013, Figure 1)."""
    files = []
    split = experiment.splits[0]
    for bank in results.treebanks:
        cells = {}
        for row in experiment.rows:
            place = Place(row.condition, split, "uas", row.name)
            if values := results.values(place, bank):
                cells[row.setting.k, row.setting.p] = statistics.mean(values)
        if cells:
            path = output / f"{experiment.name}-{bank}"
            files.append(heat_map(f"{bank}, {split} set: UAS", cells, path))
    return files, []


def heat_map(title: str, cells: Mapping[tuple[int, float], float], path: Path) -> Path:
    """Draw the mean score of each k and p.

    Without exploration (p = 0) all k are one.
    """
    ks, ps = sorted({k for k, _ in cells}), sorted({p for _, p in cells})
    by_place = {(k, p): cells.get((k if p else 0, p)) for k in ks for p in ps}
    known = list(cells.values())
    light = min(known) + 0.6 * (max(known) - min(known))
    figure = Figure(figsize=(1.2 * len(ps) + 2, 0.8 * len(ks) + 1.4))
    plot = figure.add_subplot()
    rows = [[by_place[k, p] or float("nan") for p in ps] for k in ks]
    image = plot.imshow(rows, cmap="viridis", aspect="auto")
    for i, k in enumerate(ks):
        for j, p in enumerate(ps):
            value = by_place[k, p]
            if value is not None:
                # Cells with high values are light.
                color = "white" if value < light else "black"
                text = f"{value:.2f}"
                plot.text(j, i, text, ha="center", va="center", color=color)
    plot.set_xticks(range(len(ps)), [f"{p:g}" for p in ps])
    plot.set_yticks(range(len(ks)), [str(k) for k in ks])
    plot.set_xlabel("p: probability of following a wrong prediction")
    plot.set_ylabel("k: epochs before that")
    plot.set_title(title)
    figure.colorbar(image, label="UAS")
    return save(figure, path)


# ---- learning curves -----------------------------------------------------------------


def learning_curves(experiment: Experiment, results: Results, output: Path) -> Drawn:
    """Draw LAS by the number of annotated words on each treebank."""
    files, notes = [], []
    split = experiment.splits[0]
    for bank in results.treebanks:
        curves = {
            row.name: curve(results, row.condition, split, row.name, bank)
            for row in experiment.rows
        }
        if any(curves.values()):
            path = output / f"{experiment.name}-{bank}"
            files.append(curves_picture(f"{bank}, {split} set", curves, path))
            notes += [f"{bank}: {saving}" for saving in savings(curves)]
    return files, notes


# The words of each step, and the LAS of each seed that has done it.
Curve = list[tuple[float, list[float]]]


def curve(
    results: Results, condition: str, split: str, row: str, treebank: str
) -> Curve:
    """The steps of a strategy."""

    def values(measure: str) -> list[float]:
        return results.values(Place(condition, split, measure, row), treebank)

    steps = takewhile(lambda i: bool(values(f"words@{i}")), count())
    return [(statistics.mean(values(f"words@{i}")), values(f"las@{i}")) for i in steps]


def curves_picture(title: str, curves: Mapping[str, Curve], path: Path) -> Path:
    """Draw mean curves with their standard deviations."""
    figure = Figure(figsize=(7, 4.5))
    plot = figure.add_subplot()
    for (name, steps), colour in zip(curves.items(), COLOURS, strict=False):
        words = np.array([words for words, _ in steps])
        las = np.array([statistics.mean(values) for _, values in steps])
        if name == ALL and len(las):
            label = f"all {words[0]:,.0f} words"
            plot.axhline(las[0], color="black", ls="--", linewidth=1, label=label)
            continue
        spread = np.array([np.std(v, ddof=1) if len(v) > 1 else 0 for _, v in steps])
        plot.plot(words, las, marker="o", color=colour, label=name)
        low, high = las - spread, las + spread
        plot.fill_between(words, low, high, color=colour, alpha=0.2, linewidth=0)
    plot.set_xlabel("annotated words")
    plot.set_ylabel("LAS")
    plot.set_title(title)
    plot.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    plot.grid(alpha=0.3)
    plot.legend(loc="lower right")
    return save(figure, path)


def savings(curves: Mapping[str, Curve]) -> list[str]:
    """For each strategy, the words that it needs for the final score of random
    choice.
    """
    at_random = curves.get(RANDOM)
    if not at_random:
        return []
    words, values = at_random[-1]
    las = statistics.mean(values)
    found = []
    for name, steps in curves.items():
        needed = words_for(steps, las)
        if name not in (RANDOM, ALL) and needed is not None:
            found.append(
                f"{name} needs {needed:,.0f} words for the {las:.2f} that {RANDOM} has "
                f"with {words:,.0f} ({100 * (needed / words - 1):+.0f} %)."
            )
    return found


def words_for(steps: Curve, las: float) -> float | None:
    """The number of words at which the mean curve, straight between two steps, reaches
    a LAS; None if it never does.
    """
    points = [(words, statistics.mean(values)) for words, values in steps]
    for (words, low), (more_words, high) in pairwise(points):
        if low < las <= high:
            return words + (las - low) / (high - low) * (more_words - words)
    return points[0][0] if points and points[0][1] >= las else None


PICTURES: Mapping[str, Callable[[Experiment, Results, Path], Drawn]] = {
    "heat_map": heat_maps,
    "curves": learning_curves,
}


# ---- claims --------------------------------------------------------------------------


def forest(judged: Sequence[Judged], path: Path) -> Path:
    """Draw effects with their intervals, and those of the paper.

    Quotients are drawn as their distance from 1.
    """
    figure = Figure(figsize=(9, 0.34 * len(judged) + 1.2))
    plot = figure.add_subplot()
    for y, each in enumerate(judged):
        effect, neutral = each.average, each.claim.neutral
        if effect is None:
            continue
        color = VERDICTS[each.verdict.word]
        ends = [effect.low - neutral, effect.high - neutral]
        plot.plot(ends, [y, y], color=color, linewidth=2)
        plot.plot(effect.value - neutral, y, "o", color=color)
        if each.paper is not None:
            plot.plot(each.paper - neutral, y, "D", mfc="none", mec="black")
    names = [
        f"{j.claim.text}, {MEASURES[j.table.measure]}, {j.table.split}, {j.condition}"
        for j in judged
    ]
    plot.set_yticks(range(len(judged)), names, fontsize=7)
    plot.invert_yaxis()
    plot.axvline(0, color="0.5", linewidth=1)
    # A few wide intervals must not hide the others.
    plot.set_xscale("symlog", linthresh=2)
    plot.set_xlabel("effect and 95 % interval; diamond: effect in the paper")
    return save(figure, path)
