"""The arcs of which a parser is sure.

All Docs here are parsed with probabilities (see `parser.extensions`), which
`AnyParser.ask_for` switches on.

Source: Mirroshandel & Nasr 2011 for annotating only the words that the parser is unsure
of.
"""

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Span

from ..parser.extensions import dep_probability


def arc_probabilities(tokens: Doc | Span) -> list[float | None]:
    """For each token the probability of its head and label.

    None for whitespace, and where the arc is not the parser's.
    """
    return [dep_probability(token) for token in tokens]


def keep_sure(doc: Doc, probabilities: Sequence[float | None], at_least: float) -> None:
    """Make the head and the label unknown of every word whose arc is less probable.

    Args:
        probabilities: Of the tokens of the Doc; words that have none become unknown,
            too. Sentence boundaries and the arcs of whitespace stay.
    """
    unsure = [
        (p is None or p < at_least) and not token.is_space
        for p, token in zip(probabilities, doc, strict=True)
    ]
    table: np.ndarray = doc.to_array([HEAD, DEP])
    starts: np.ndarray = doc.to_array([SENT_START])
    # Its own head without a label is spaCy's missing head.
    table[np.array(unsure, dtype=bool)] = 0
    if len(doc):
        doc.from_array([HEAD, DEP], table)  # type: ignore[arg-type]
        doc.from_array([SENT_START], starts.reshape(-1, 1))  # type: ignore[arg-type]
