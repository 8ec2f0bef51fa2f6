"""Reports of the results as tables and as JSON."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from spacy_dynoracle.doc.columns import tag_attribute
from spacy_dynoracle.parser.component import DynOracleParser
from spacy_dynoracle.util.files import replace_file

from .timing import Row, Summary

TITLES = {
    "ratio": "How many times as fast as others",
    "accuracy": "Are the parses realistic?",
    "speed": "Parsing speed",
    "latency": "One Doc at a time",
    "scaling": "Threads and processes",
    "counters": "Events of the processor",
    "cost": "Cost from the slope between the two sizes",
    "training": "Training",
    "memory": "Peak memory (resident, one fresh process each)",
    "model": "Model on disk",
}


def conditions() -> dict[str, str]:
    """The machine and the versions, without the name of the host."""
    found = {
        "CPUs": f"{os.cpu_count()} {platform.machine()}",
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in ("spacy", "numpy", "spacy-dynoracle"):
        found[package] = version(package)
    if hasattr(os, "getloadavg"):
        found["load average at the end"] = f"{os.getloadavg()[0]:.1f}"
    return found


def describe(parser: DynOracleParser) -> str:
    """A description of the measured parser in one line."""
    model = parser.model
    assert model is not None
    weights: Any = model.freeze().weights
    return (
        f"{parser.recipe.system!r}, {parser.parser.search!r}, "
        f"{len(parser.recipe.templates)} templates, "
        f"tag_attr {tag_attribute(parser.recipe.sources)}, "
        f"sentences {parser.recipe.sentences!r}, {len(model.actions)} actions, "
        f"{weights.n_features:,} features, {weights.n_parameters:,} weights"
    )


def show(console: Console, settings: dict[str, str], rows: list[Row]) -> None:
    """Print the conditions of the measurement and a table for each topic."""
    table = Table(title="Conditions", show_header=False, title_justify="left")
    for name, value in settings.items():
        table.add_row(name, value)
    console.print(table)
    for key, title in TITLES.items():
        chosen = [row for row in rows if row.table == key]
        if chosen:
            console.print(_table(title, chosen))


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    shaped = any(row.sentences_per_doc or row.words for row in rows)
    timed = any(row.cpu for row in rows)
    table.add_column("")
    if shaped:
        table.add_column("sents\n/Doc", justify="right")
        table.add_column("words", justify="right")
    table.add_column("CPU: median (min - max)" if timed else "", justify="right")
    if timed:
        table.add_column("wall", justify="right")
    table.add_column("unit")
    for previous, row in zip([rows[0], *rows], rows, strict=False):
        if row.table in ("ratio", "speed") and _shape(previous) != _shape(row):
            table.add_section()
        cells = [row.name]
        if shaped:
            cells += [_count(row.sentences_per_doc), _count(row.words)]
        cells.append(_summary(row.cpu) if row.cpu else _number(row.value))
        if timed:
            cells.append(_number(row.wall.median) if row.wall else "")
        table.add_row(*cells, row.unit)
    return table


def _shape(row: Row) -> tuple[int | None, int | None]:
    return row.sentences_per_doc, row.words


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _summary(summary: Summary) -> str:
    if summary.min == summary.max:
        return _number(summary.median)
    low, high = _number(summary.min), _number(summary.max)
    return f"{_number(summary.median)} ({low} - {high})"


def write(path: Path, settings: dict[str, str], rows: list[Row]) -> None:
    """Write settings and rows as JSON. The file appears when it is complete."""
    data = {"settings": settings, "rows": [row.as_dict() for row in rows]}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    replace_file(path, text.encode("utf8"))
