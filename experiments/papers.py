"""The figures and claims of the papers, as `papers.yaml` has them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import srsly

FILE = Path(__file__).with_name("papers.yaml")
KINDS = ("difference", "lower", "ratio", "at_most")
LABELLED, UNLABELLED = CONDITIONS = ("labelled", "unlabelled")
# The bins of Goldberg (2013) that the claim on calibration is about, and their row.
CALIBRATED = (0.5, 0.6, 0.7, 0.8, 0.9)
DISTANCE = "distance"


@dataclass(frozen=True)
class Claim:
    """A statement of a paper: one row of a table is better than another.

    Attributes:
        kind: One of KINDS, which `papers.yaml` explains.
        than: None for "at_most".
        conditions: Where it is tested, some of CONDITIONS.
    """

    text: str
    better: str
    than: str | None = None
    kind: str = "difference"
    conditions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS or not set(self.conditions) <= set(CONDITIONS):
            raise ValueError(f"claim {self.text!r}: unknown kind or condition")
        if (self.than is None) != (self.kind == "at_most"):
            raise ValueError(f"claim {self.text!r}: expected two rows, or at_most")

    @property
    def neutral(self) -> float:
        """The effect of two rows that do not differ."""
        return 1.0 if self.kind == "ratio" else 0.0

    def effect(self, better: Any, than: Any) -> Any:
        """The effect of two values: above `neutral` if the claim is right.

        Takes numbers or arrays.
        """
        if self.kind == "ratio":
            return than / better
        return than - better if self.kind == "lower" else better - than


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper.

    Attributes:
        id: A name of ours.
        table: Place in the paper.
        measure, split, condition: What our rows show.
        columns: Languages.
        rows: A figure for each column, None where the paper has none.
        items: For calibration, the items of each row.
    """

    id: str
    table: str
    measure: str
    split: str
    condition: str
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float | None]]
    claims: tuple[Claim, ...]
    note: str = ""
    items: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def figure(self, row: str, language: str) -> float | None:
        """The figure of a row for a language, None if there is none.

        A language with several columns has the first one.
        """
        for name, value in zip(self.columns, self.rows.get(row, ()), strict=False):
            if name.partition(",")[0] == language:
                return value
        return None

    def mean(self, row: str) -> float | None:
        """The mean of a row over its figures."""
        known = [value for value in self.rows.get(row, ()) if value is not None]
        return statistics.mean(known) if known else None

    def effects(self, claim: Claim) -> dict[str, float]:
        """The effect of a claim in each column that has both figures; for "at_most" the
        figures themselves.
        """
        better = self.rows.get(claim.better, ())
        if claim.than is None:
            return {
                name: value
                for name, value in zip(self.columns, better, strict=False)
                if value is not None
            }
        than = self.rows.get(claim.than, ())
        return {
            name: claim.effect(a, b)
            for name, a, b in zip(self.columns, better, than, strict=False)
            if a is not None and b is not None
        }


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        data: The data of its figures, and how those here differ.
    """

    id: str
    name: str
    title: str
    data: str
    tables: tuple[PaperTable, ...]


@lru_cache(maxsize=1)
def papers() -> tuple[Paper, ...]:
    """All papers.

    Raises:
        ValueError: For a row that has too few or too many figures.
    """
    found = []
    read = cast(list[dict[str, Any]], srsly.yaml_loads(FILE.read_text("utf-8")))
    for values in read:
        tables = tuple(_table(table) for table in values["tables"])
        found.append(Paper(**{**values, "tables": tables}))
    return tuple(found)


def _table(values: Mapping[str, Any]) -> PaperTable:
    columns = tuple(values["columns"])
    rows = {str(name): tuple(row) for name, row in values["rows"].items()}
    items = {str(name): tuple(row) for name, row in values.get("items", {}).items()}
    for name, row in [*rows.items(), *items.items()]:
        if len(row) != len(columns):
            raise ValueError(
                f"{FILE.name}, {values['id']}, {name}: {len(row)} figures for "
                f"{len(columns)} columns"
            )
    if items:
        rows[DISTANCE] = tuple(_distances(rows, items, len(columns)))
    claims = tuple(
        Claim(**{**claim, "conditions": tuple(claim.get("conditions", ()))
                 or (values["condition"],)})
        for claim in values["claims"]
    )  # fmt: skip
    whole = {**values, "columns": columns, "rows": rows, "items": items}
    return PaperTable(**{**whole, "claims": claims})


def _distances(
    rows: Mapping[str, Sequence[float | None]],
    items: Mapping[str, Sequence[int]],
    n_columns: int,
) -> list[float]:
    """The distance from calibration in each column of a table."""
    return [
        distance(
            {
                low: (items[f"{low:.1f}"][i], rows[f"{low:.1f}"][i] or 0.0)
                for low in CALIBRATED
            }
        )
        for i in range(n_columns)
    ]


def distance(bins: Mapping[float, tuple[int, float]]) -> float:
    """The distance from calibration in percentage points: between the per cent correct
    and the middle of each bin, the mean over all items.

    Args:
        bins: Items and per cent correct by the lower end of the bin, each .1 wide. The
            distance of no items is 0.
    """
    total = sum(count for count, _ in bins.values())
    away = sum(
        count * abs(correct - 100 * (low + 0.05))
        for low, (count, correct) in bins.items()
    )
    return away / total if total else 0.0
