"""Comparison of three ways to handle crossing arcs: a system that builds them,
pseudo-projective parsing (Nivre & Nilsson 2005), and training without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import spacy

from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.reports.tables import MISSING, Grid, number
from spacy_dynoracle.treebank import read_conllu

from .oracles import Comparison, Measure
from .parsing import core_sentences, derive, parser_of
from .runs import Result
from .settings import Setting
from .speeds import Speeds, speed_table

# Each system with its handling of crossing arcs. SWAP learns them as they are.
SETTINGS = (("swap", "projectivize"), ("eager", "projectivize"), ("eager", "drop"))
SWAP, PSEUDO, PLAIN = "swap", "eager, projectivize", "eager, drop"


def title(setting: Setting) -> str:
    """The heading of a setting."""
    if setting.system == "swap":
        return SWAP
    return f"{setting.system}, {setting.nonprojective}"


def measure_derivations(pipeline: Path, path: Path) -> list[tuple[int, int]]:
    """The number of words and of transitions for each sentence of a file, parsed with
    one root."""
    nlp = spacy.load(pipeline)
    model = parser_of(nlp).model
    if model is None:
        raise ValueError(f"{pipeline} is not trained")
    sentences = core_sentences(nlp, list(read_conllu(path)))
    return [
        (len(s), sum(1 for _ in derive(model, s, RootRule.ONE)) - 1) for s in sentences
    ]


def report(
    comparison: Comparison,
    speeds: Speeds,
    derivations: Mapping[str, Sequence[Sequence[int]]],
) -> tuple[list[Grid], dict[str, Any]]:
    """The tables, and their numbers for JSON.

    comparison: results of the settings in SETTINGS, with `title` for the headings.
    speeds: results of measure_speed by treebank. derivations: results of
    measure_derivations for SWAP by treebank.
    """
    by_title = {comparison.title(setting): setting for setting in comparison.settings}
    pairs = {
        f"{first} - {second}": (by_title[first], by_title[second])
        for first, second in ((SWAP, PSEUDO), (PSEUDO, PLAIN))
        if first in by_title and second in by_title
    }
    measures: tuple[Measure, ...] = ("uas", "las")
    grids = [comparison.score_table(measure) for measure in measures]
    grids += [comparison.difference_table(pairs, m, "Differences") for m in measures]
    grids.append(_crossing_table(comparison))
    grids.append(speed_table(speeds, PSEUDO))
    grids.append(_derivation_table(derivations))
    grids.append(comparison.cost_table())
    values = {
        "split": comparison.split,
        "runs": comparison.records(),
        "differences": comparison.difference_records(pairs),
        "crossing": {
            treebank: {
                comparison.title(setting): _crossing(results.values())
                for setting in comparison.settings
                if (results := comparison.seeds(treebank, setting))
            }
            for treebank in comparison.treebanks
        },
        "speeds": speeds,
        "derivations": derivations,
    }
    return grids, values


def _crossing(results: Iterable[Result]) -> dict[str, float | None]:
    """Counts of non-projective arcs and their shares in per cent, over all seeds."""
    pooled = list(results)
    gold, found, predicted, right = (
        sum(int(result.column(f"crossing_{name}").sum()) for result in pooled)
        for name in ("gold", "found", "predicted", "right")
    )
    return {
        "gold": gold,
        "predicted": predicted,
        "precision": 100 * right / predicted if predicted else None,
        "recall": 100 * found / gold if gold else None,
    }


def _crossing_table(comparison: Comparison) -> Grid:
    grid = Grid(
        f"Non-projective arcs, {comparison.split} set, all words",
        ["treebank", "parser", "gold", "predicted", "precision", "recall"],
        notes=[
            "An arc is non-projective if a word between head and dependent is no "
            "descendant of the head. Precision: of the predicted ones, those whose "
            "head is right; recall: of the gold ones. All seeds pooled."
        ],
    )
    for treebank in comparison.treebanks:
        for setting in comparison.settings:
            results = comparison.seeds(treebank, setting)
            if not results:
                grid.add(treebank, comparison.title(setting), *[MISSING] * 4)
                continue
            counts = _crossing(results.values())
            grid.add(
                treebank,
                comparison.title(setting),
                *(number(counts[name]) for name in ("gold", "predicted")),
                *(number(counts[name], 1) for name in ("precision", "recall")),
            )
    return grid


def _derivation_table(derivations: Mapping[str, Sequence[Sequence[int]]]) -> Grid:
    grid = Grid(
        "Derivations of SWAP",
        ["treebank", "transitions / words", "largest quotient", "of words", "longest"],
        notes=["Without a SWAP a derivation has two transitions to a word."],
    )
    for treebank, rows in derivations.items():
        if not rows:
            continue
        words = sum(n for n, _ in rows)
        largest = max(rows, key=lambda row: row[1] / max(row[0], 1))
        grid.add(
            treebank,
            f"{sum(t for _, t in rows) / words:.2f}",
            f"{largest[1] / max(largest[0], 1):.2f}",
            str(largest[0]),
            str(max(t for _, t in rows)),
        )
    return grid
