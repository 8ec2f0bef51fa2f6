"""Tables of results for the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

MISSING = "-"


@dataclass
class Grid:
    """A table with text cells.

    Attributes:
        notes: Explanations below the table.
    """

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add a row."""
        self.rows.append(list(cells))

    def rich(self) -> Table:
        """The table for a console, without title and notes."""
        table = Table()
        for i, column in enumerate(self.columns):
            table.add_column(column, justify="right" if i else "left", no_wrap=True)
        for row in self.rows:
            table.add_row(*row)
        return table


def show(grids: Sequence[Grid]) -> None:
    """Print tables."""
    notes_once(grids)
    # Labels and paths are data, not markup. Tables are as wide as they need to be: a
    # wrapped one is better than one that is cut off.
    console = Console(width=10_000, markup=False, emoji=False, highlight=False)
    for grid in grids:
        console.print(grid.title, style="bold", width=88)
        console.print(grid.rich())
        for note in grid.notes:
            console.print(note, width=88)
        console.print()


def notes_once(grids: Sequence[Grid]) -> None:
    """Keep each note only below the first table that has it."""
    seen: set[str] = set()
    for grid in grids:
        grid.notes = [note for note in grid.notes if note not in seen]
        seen.update(grid.notes)


def percent(share: float) -> str:
    """A share in per cent, for example "87.10"."""
    return f"{100 * share:.2f}"


def interval(ends: tuple[float, float] | None) -> str:
    """An interval of shares in per cent, for example "85.20-88.91", if there is one."""
    return MISSING if ends is None else "-".join(map(percent, ends))


def probability(p: float) -> str:
    """A p-value, for example "p = .013"."""
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)
