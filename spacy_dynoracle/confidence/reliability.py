"""Calibration as tables (Goldberg 2013, Table 4)."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from ..core.results import Decisions
from ..reports.tables import MISSING, Grid, percent
from .calibration import Bin, Calibration
from .measured import ARCS, HEADS, ArcConfidence, calibration_of

TRANSITIONS = "transitions"
CHOSEN = "not forced"


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
    measured[HEADS] = arcs.heads.calibration()
    measured[ARCS] = arcs.arcs.calibration()
    return measured


def bin_table(title: str, measured: Mapping[str, Calibration]) -> Grid:
    """Count, per cent correct and mean value in every bin, side by side."""
    grid = Grid(title, ["bin"])
    for name in measured:
        grid.columns += [name, "% correct", "mean %"]
    for i, bins in enumerate(zip(*(c.bins for c in measured.values()), strict=True)):
        # The paper has no row for values below 0.1.
        if i or any(each.count for each in bins):
            grid.add(f"{bins[0].start:.1f}", *chain(*map(_cells, bins)))
    grid.add("all", *chain(*map(_cells, measured.values())))
    return grid


def summary_table(title: str, measured: Mapping[str, Calibration]) -> Grid:
    """Calibration error, log-likelihood and Brier score of each calibration."""
    columns = ["", "count", "% correct", "mean %", "ECE", "log-likelihood", "Brier"]
    grid = Grid(title, columns)
    for name, c in measured.items():
        values = (f"{x:.4f}" for x in (c.error, c.log_likelihood, c.brier))
        grid.add(name, *_cells(c), *values)
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
    second = bin_table(f"Arcs of the parse, {title}", arcs)
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


def _cells(b: Bin | Calibration) -> tuple[str, str, str]:
    """Count, per cent correct and mean value."""
    if not b.count:
        return "0", MISSING, MISSING
    return f"{b.count:,}", percent(b.accuracy), percent(b.mean)
