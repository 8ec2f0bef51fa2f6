"""Derivations as tables in SVG, for slides and papers: black on white."""

from collections.abc import Iterable
from html import escape

from rich.cells import cell_len

from .derivation import Derivation
from .rows import STACK, derivation_rows

_SIZE, _LINE = 14, 22.4
# The width of a character in the widest of the usual monospaced fonts.
_COLUMN = 0.61 * _SIZE


def derivations_svg(derivations: Iterable[Derivation]) -> str:
    """Draw the tables, one below the other; a mistake is red.

    The top of the stack stands beside the front of the buffer.
    """
    parts: list[str] = []
    width, y = 0.0, 0.0
    for each in derivations:
        rows = list(derivation_rows(each))
        columns = zip(*(row.cells for row in rows), strict=True)
        sizes = [max(map(cell_len, cells)) for cells in columns]
        for row in rows:
            x, y = 2 * _COLUMN, y + _LINE
            style = ' font-weight="bold"' if row is rows[0] else ""
            style += ' fill="#b3261e"' if row.wrong else ""
            for i, (cell, size) in enumerate(zip(row.cells, sizes, strict=True)):
                end = x + _COLUMN * size
                place = (
                    f'x="{end:.1f}" text-anchor="end"' if i == STACK else f'x="{x:.1f}"'
                )
                # XML has no control characters.
                text = escape("".join(c if c >= " " else "\ufffd" for c in cell))
                if text:
                    parts.append(f'<text {place} y="{y:.1f}"{style}>{text}</text>\n')
                x = end + 2 * _COLUMN
            width = max(width, x)
        y += _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="{y:.0f}" viewBox="0 0 {width:.0f} {y:.0f}" font-size="{_SIZE}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{"".join(parts)}</svg>\n'
    )
