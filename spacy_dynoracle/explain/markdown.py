"""A derivation as a table in Markdown, for slides and papers."""

import re
from collections.abc import Iterator

from .derivation import Derivation
from .rows import COST, derivation_rows

# In CommonMark, and in what pandoc adds: superscripts (^) and citations (@).
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$~&^@])")


def derivation_markdown(derivation: Derivation) -> Iterator[str]:
    """Yield the lines of a table; the cost of a mistake is bold."""
    for i, row in enumerate(derivation_rows(derivation)):
        cells = [_SPECIAL.sub(r"\\\1", cell) for cell in row.cells]
        if row.wrong:
            cells[COST] = f"**{cells[COST]}**"
        yield f"| {' | '.join(cells)} |"
        if i == 0:
            yield "|" + " --- |" * len(cells)
