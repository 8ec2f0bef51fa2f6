"""A derivation as a table, in Markdown and in SVG, for slides and papers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from rich.cells import cell_len

from ..core.results import ScoredTransition
from .derivation import Derivation
from .text import joined, transition_name

# Columns of a cell with words.
_WIDTH = 32
STACK, COST = 1, 5
# In CommonMark, and in what pandoc adds: superscripts (^) and citations (@).
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$~&^@])")
# Control characters, and two that stand for none.
_NOT_IN_XML = re.compile("[\x00-\x1f\ufffe\uffff]")
_SIZE, _LINE = 14, 22.4
# The width of a character in the widest of the usual monospaced fonts.
_COLUMN = 0.61 * _SIZE


class Row(NamedTuple):
    """The cells of a configuration, and whether its transition is a mistake."""

    cells: list[str]
    wrong: bool = False


def derivation_rows(derivation: Derivation) -> Iterator[Row]:
    """Yield the titles, and a row for each configuration.

    With a gold tree it has the costs, and the correct transition where it is not the
    one that was taken.
    """

    def configuration(stack: Sequence[int], buffer: Sequence[int]) -> list[str]:
        left, right = ([derivation.words[k] for k in x] for x in (stack, buffer))
        return [joined(left, _WIDTH, end=True), joined(right, _WIDTH)]

    with_costs = derivation.gold is not None
    titles = ["", "stack", "buffer", "transition", "arc"]
    yield Row([*titles, "cost", "correct"] if with_costs else titles)
    for number, step in enumerate(derivation.steps, 1):
        chosen, wrong = step.chosen, step.is_correct(step.chosen) is False
        cells = [str(number), *configuration(step.stack, step.buffer)]
        arc = " → ".join(derivation.words[k] for k in chosen.arc or ())
        cells += [_transition(chosen), arc]
        if with_costs:
            cells.append("" if chosen.cost is None else str(chosen.cost))
            cells.append(_transition(step.correct) if wrong else "")
        yield Row(cells, wrong)
    end = ["end", *configuration(derivation.stack, derivation.buffer)]
    yield Row(end + [""] * (4 if with_costs else 2))


def _transition(x: ScoredTransition) -> str:
    return " ".join(filter(None, (transition_name(x), x.label)))


def derivation_markdown(derivation: Derivation) -> Iterator[str]:
    """Yield the lines of a table; the cost of a mistake is bold."""
    for i, row in enumerate(derivation_rows(derivation)):
        cells = [_SPECIAL.sub(r"\\\1", cell) for cell in row.cells]
        if row.wrong:
            cells[COST] = f"**{cells[COST]}**"
        yield f"| {' | '.join(cells)} |"
        if i == 0:
            yield "|" + " --- |" * len(cells)


def derivations_svg(derivations: Iterable[Derivation]) -> str:
    """Draw the tables in black on white, one below the other; a mistake is red.

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
                text = escape(_NOT_IN_XML.sub("\ufffd", cell))
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
