"""Draw the plots of the documentation from the tables of its pages.

    python scripts/plots.py

reads what commands have printed into README.md and docs/how_to/new_language.md, and
draws docs/assets/speed.svg and docs/assets/learning_curves.svg. With --check it writes
nothing, and a difference is an error. `python scripts/plots.py curves DIR ...` prints
the table of the second page from the directories that `learning-curve --output` leaves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Annotated

import srsly
import typer

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "docs" / "assets"
TABLE = re.compile(r"<!-- (?:table|curves): begin -->\n(.*?)<!-- ", re.DOTALL)
# People with any kind of colour vision can tell these apart, on white and on black.
COLOURS = ("#0f9496", "#d95f02", "#7570b3", "#c2408f")
WIDTH, HEIGHT = 600, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 20, 54
# The picture follows the colours of the page or, without one, of the system.
STYLE = """\
svg { background: #fff; color: #222; font: 15px system-ui, sans-serif }
text { fill: currentColor; stroke: #fff; stroke-width: 4px; paint-order: stroke }
.grid { stroke: currentColor; opacity: .15 }
@media (prefers-color-scheme: dark) {
  svg { background: #1e2129; color: #ddd } text { stroke: #1e2129 }
}"""

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis from the first to the last of its marks."""

    title: str
    marks: Sequence[float]
    is_log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        first, last, at = self.marks[0], self.marks[-1], value
        if self.is_log:
            first, last, at = map(math.log, (first, last, at))
        return (at - first) / (last - first)


def around(values: Sequence[float], step: float) -> list[float]:
    """The multiples of a step from below the least to above the greatest value."""
    first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
    return [k * step for k in range(first, max(last, first + 1) + 1)]


def powers(values: Sequence[float]) -> list[float]:
    """1, 2, 5, 10, 20, ... from below the least to above the greatest value."""
    every = [k * 10.0**e for e in range(9) for k in (1, 2, 5)]
    first = max(i for i, x in enumerate(every) if x <= min(values))
    last = min(i for i, x in enumerate(every) if x >= max(values))
    return every[first : last + 1]


def is_one(mark: float) -> bool:
    """Whether a mark is a power of ten."""
    return f"{mark:g}".startswith("1")


def plot(lines: Mapping[str, Sequence[Point]], x: Axis, y: Axis) -> str:
    """Lines of points, each with its name behind its last point."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img">',
            f"<style>\n{STYLE}\n</style>",
            *grid(x, y),
            *(
                part
                for (name, points), colour in zip(lines.items(), COLOURS, strict=False)
                for part in drawn(name, [place(p, x, y) for p in points], colour)
            ),
            "</svg>\n",
        ]
    )


def place(point: Point, x: Axis, y: Axis) -> Point:
    """The place of a point in the picture."""
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    return LEFT + x.share(point[0]) * across, TOP + (1 - y.share(point[1])) * down


def grid(x: Axis, y: Axis) -> Iterator[str]:
    """The marks and the titles of the axes."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for i, mark in enumerate(x.marks):
        at, _ = place((mark, y.marks[0]), x, y)
        yield f'<path class="grid" d="M{at:.1f} {TOP}V{bottom}"/>'
        # Many marks leave no room for all of their numbers.
        beside = x.marks[max(i - 1, 0) : i + 2]
        is_end = len(beside) == 2 and not any(map(is_one, beside))
        if len(x.marks) <= 6 or is_one(mark) or is_end:
            yield text(at, bottom + 20, f"{mark:,.0f}", "middle")
    for mark in y.marks:
        _, at = place((x.marks[0], mark), x, y)
        yield f'<path class="grid" d="M{LEFT} {at:.1f}H{right}"/>'
        yield text(LEFT - 8, at + 4, f"{mark:g}", "end")
    yield text((LEFT + right) / 2, HEIGHT - 8, x.title, "middle")
    middle = (TOP + bottom) / 2
    turned = f'transform="rotate(-90 16 {middle:.1f})"'
    yield text(16, middle, y.title, "middle", turned)


def drawn(name: str, points: Sequence[Point], colour: str) -> Iterator[str]:
    """A line of points with its name."""
    ways = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    yield f'<polyline points="{ways}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for a, b in points:
        yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4.5" fill="{colour}"/>'
    a, b = points[-1]
    yield text(a + 10, b + 4, name, "start")


def text(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    """A text at a place."""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {place} {more}>{escape(words)}</text>".replace(" >", ">")


def table(page: str) -> list[dict[str, str]]:
    """The rows of the table between two comments."""
    found = TABLE.search(page)
    if found is None:
        raise ValueError("the page has no table between comments")
    titles, _, *rows = (
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in found[1].strip().splitlines()
    )
    # The first title is empty and has gone with the bar before it.
    titles = [""] * (len(rows[0]) - len(titles)) + titles
    return [dict(zip(titles, row, strict=True)) for row in rows]


def number(cell: str) -> float:
    """The number in a cell."""
    return float(cell.replace(",", ""))


def speed(page: str) -> str:
    """Speed against accuracy, from the table of the README."""
    x, y = "words per second", "LAS"
    lines = {row[""]: [(number(row[x]), number(row[y]))] for row in table(page)}
    speeds, scores = zip(*(points[0] for points in lines.values()), strict=True)
    axis = Axis(f"{x}, one thread (logarithmic)", powers(speeds), True)
    return plot(lines, axis, Axis("LAS from raw text", around(scores, 2)))


def curves(page: str) -> str:
    """LAS by words, from the table of the page about a new language."""
    lines = {}
    for row in table(page):
        name, *cells = row.values()
        half = len(cells) // 2
        words, scores = map(number, cells[:half]), map(number, cells[half:])
        lines[name.removeprefix("UD_")] = list(zip(words, scores, strict=True))
    words, scores = zip(*(p for points in lines.values() for p in points), strict=True)
    axis = Axis("words of the training data (logarithmic)", powers(words), True)
    return plot(lines, axis, Axis("LAS", around(scores, 10)))


def curves_table(directories: Iterable[Path]) -> Iterator[str]:
    """The lines of a table of learning curves."""
    results = [srsly.read_json(each / "scores.json") for each in directories]
    parts = [f"1/{point['divisor']}" for point in results[0]["points"]]
    titles = [
        "treebank",
        *(f"{x}: words" for x in parts),
        *(f"{x}: LAS" for x in parts),
    ]
    yield f"| {' | '.join(titles)} |"
    yield "| --- |" + " ---: |" * (len(titles) - 1)
    for each in results:
        words = [f"{point['words']:,}" for point in each["points"]]
        scores = [
            f"{100 * point['scores']['LAS']['f1']:.1f}" for point in each["points"]
        ]
        name = Path(each["train"]).parent.name
        yield f"| {' | '.join([name, *words, *scores])} |"


PLOTS = {
    ASSETS / "speed.svg": (speed, ROOT / "README.md"),
    ASSETS / "learning_curves.svg": (
        curves,
        ROOT / "docs" / "how_to" / "new_language.md",
    ),
}
app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    check: Annotated[bool, typer.Option(help="Compare, and write nothing.")] = False,
) -> None:
    """Draw the plots of the documentation from the tables of its pages."""
    if context.invoked_subcommand is not None:
        return
    for path, (draw, page) in PLOTS.items():
        made = draw(page.read_text(encoding="utf8"))
        if not check:
            path.write_text(made, encoding="utf8")
        elif made != path.read_text(encoding="utf8"):
            typer.echo(f"{path.name} differs from the table of {page.name}", err=True)
            raise typer.Exit(1)


@app.command("curves")
def print_curves(directories: list[Path]) -> None:
    """Print the table of learning curves."""
    typer.echo("\n".join(curves_table(directories)))


if __name__ == "__main__":
    app()
