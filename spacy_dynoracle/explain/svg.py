"""Derivations as tables in SVG, for slides and papers: black on white."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from rich.cells import cell_len

from .derivation import Derivation
from .rows import Row, derivation_rows

_SIZE = 14
_LINE = 1.6 * _SIZE
# The width of a character in the widest of the usual monospaced fonts.
_COLUMN = 0.61 * _SIZE
_STACK = 1
_WRONG = "#b3261e"


def derivations_svg(derivations: Iterable[Derivation]) -> str:
    """Draw the tables, one below the other; a mistake is red.

    The top of the stack stands beside the front of the buffer.
    """
    parts: list[str] = []
    width, y = 0.0, 0.0
    for each in derivations:
        rows = list(derivation_rows(each))
        sizes = [
            max(map(cell_len, cells))
            for cells in zip(*(row.cells for row in rows), strict=True)
        ]
        for row in rows:
            y += _LINE
            parts += _texts(row, sizes, y, bold=row is rows[0])
        width = max(width, _COLUMN * (sum(sizes) + 2 * len(sizes) + 2))
        y += _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{y:.0f}" viewBox="0 0 {width:.0f} {y:.0f}" font-size="{_SIZE}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">\n'
        '<rect width="100%" height="100%" fill="white"/>\n'
        + "".join(f"{part}\n" for part in parts)
        + "</svg>\n"
    )


def _texts(row: Row, sizes: Sequence[int], y: float, *, bold: bool) -> Iterator[str]:
    """The cells of a row that are not empty."""
    style = f' fill="{_WRONG}"' if row.wrong else ""
    style += ' font-weight="bold"' if bold else ""
    x = 2 * _COLUMN
    for i, (cell, size) in enumerate(zip(row.cells, sizes, strict=True)):
        end = i == _STACK
        place = x + _COLUMN * size if end else x
        # XML has no control characters.
        text = escape("".join(c if c >= " " else "\ufffd" for c in cell))
        if text:
            anchor = ' text-anchor="end"' if end else ""
            yield f'<text x="{place:.1f}" y="{y:.1f}"{anchor}{style}>{text}</text>'
        x += _COLUMN * (size + 2)
