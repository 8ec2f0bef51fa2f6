"""The tables of an experiment."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from spacy_dynoracle.reports.tables import MISSING, Grid

from .cells import difference, mean_and_deviation
from .gains import AVERAGE, NOTE
from .metrics import MEASURES
from .plan import Experiment
from .results import Place, Results


def tables(experiment: Experiment, results: Results) -> list[Grid]:
    """The scores on each treebank and the average, and the tested differences."""
    grids: list[Grid] = []
    for condition in dict.fromkeys(row.condition for row in experiment.rows):
        for split in experiment.splits:
            grids += _score_tables(experiment, results, condition, split)
            grids += _difference_tables(experiment, results, condition, split)
    if experiment.note:
        grids[-1].notes.append(experiment.note)
    return grids


def measure_title(measure: str) -> str:
    """How a measure is called, such as "LAS" or, after a step, "LAS@2"."""
    name, at, step = measure.partition("@")
    return f"{MEASURES.get(name, name)}{at}{step}"


def _score_tables(
    experiment: Experiment, results: Results, condition: str, split: str
) -> Iterator[Grid]:
    known = results.measures(condition, split)
    measures = [m for m in experiment.columns or known if m in known]
    planned = [row.name for row in experiment.rows if row.condition == condition]
    found = results.rows(condition, split)
    places = {
        row: [Place(condition, split, measure, row) for measure in measures]
        for row in dict.fromkeys([*planned, *found])
    }
    # A row of which nothing is done is shown, too.
    shown = {
        row: of_row
        for row, of_row in places.items()
        if row not in found or any(place in results.counts for place in of_row)
    }
    banks = results.treebanks
    for bank in [*banks, AVERAGE] if len(banks) > 1 else banks:
        grid = Grid(
            f"{bank}, {split} set, {condition}", ["", *map(measure_title, measures)]
        )
        for row, of_row in shown.items():
            grid.add(row, *(_cell(results, place, bank) for place in of_row))
        grid.notes.append(_seeds_note(results))
        yield grid


def _cell(results: Results, place: Place, treebank: str) -> str:
    if treebank != AVERAGE:
        return mean_and_deviation(results.values(place, treebank))
    values = [results.values(place, name) for name in results.treebanks]
    if not all(values):
        return MISSING
    return f"{statistics.mean(map(statistics.mean, values)):.2f}"


def _seeds_note(results: Results) -> str:
    """A note that says over which seeds the numbers in the tables are means."""
    numbers = {len(s) for banks in results.counts.values() for s in banks.values()}
    if not numbers:
        return "Nothing is done yet."
    if numbers == {1}:
        return "One seed."
    shown = " to ".join(map(str, sorted({min(numbers), max(numbers)})))
    return f"Mean ± standard deviation over {shown} seeds."


def _difference_tables(
    experiment: Experiment, results: Results, condition: str, split: str
) -> Iterator[Grid]:
    banks = results.treebanks + [AVERAGE] * (len(results.treebanks) > 1)
    rows = results.rows(condition, split)
    pairs = [pair for pair in experiment.compare if set(pair) <= set(rows)]
    for measure in experiment.tested if pairs else ():
        title = f"Differences in {measure_title(measure)}, {split} set, {condition}"
        grid = Grid(title, ["", *banks], notes=[NOTE])
        for pair in pairs:
            better, than = (Place(condition, split, measure, row) for row in pair)
            gains = results.gains(better, than)
            cells = (difference(gains.get(bank)) for bank in banks)
            grid.add(f"{pair[0]} - {pair[1]}", *cells)
        yield grid
