"""The uncertainty of the parser about sentences, and the arcs to keep.

All Docs here are parsed with probabilities (see `parser.extensions`), which
`AnyParser.ask_for` switches on. Measures are in nats: the larger the value, the less
sure is the parser.

Sources: Hwa 2004 for the entropy of the trees of a sentence, divided by its length, as
a measure of how much its annotation teaches; Mirroshandel & Nasr 2011 for annotating
only the words that the parser is unsure of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.tokens import Doc, Span

from ..parser.extensions import (
    dep_probability,
    derivation_log_probability,
    lowest_probability,
    total_dep_entropy,
)

Words = Doc | Span


class MissingProbabilitiesError(ValueError):
    """A sentence has no probabilities, or its arcs have changed since parsing."""


@dataclass(frozen=True)
class Measure:
    """A measure of uncertainty.

    Attributes:
        title: Heading of a table.
        probabilities: The kind of probabilities that the parser must be asked for.
        of: Function that gives the value of a sentence, in nats; None for a sentence
            without probabilities.
    """

    title: str
    probabilities: str
    of: Callable[[Words], float | None]

    def value(self, words: Words) -> float:
        """The value of a sentence.

        Raises:
            MissingProbabilitiesError: If there are no probabilities.
        """
        value = self.of(words)
        if value is None:
            raise MissingProbabilitiesError(
                f"no probabilities for {words.text[:60]!r}: it was parsed without "
                "them, or its heads or labels have changed since"
            )
        return value


def entropy(words: Words) -> float | None:
    """The mean entropy of the head and label of a word."""
    return _per_word(total_dep_entropy(words), words)


def surprise(words: Words) -> float | None:
    """Minus the log-probability of the derivation, per word."""
    p = derivation_log_probability(words)
    return None if p is None else _per_word(-p, words)


def lowest(words: Words) -> float | None:
    """Minus the logarithm of the lowest probability of a decision."""
    p = lowest_probability(words)
    return None if p is None else -math.log(max(p, math.ulp(0.0)))


def _per_word(value: float | None, words: Words) -> float | None:
    return None if value is None else value / max(n_words(words), 1)


# The measures by their names on the command line.
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "entropy": Measure("entropy per word", "marginal", entropy),
        "total-entropy": Measure("entropy", "marginal", total_dep_entropy),
        "derivation": Measure("-log P(derivation) per word", "transition", surprise),
        "lowest": Measure("-log P(least sure decision)", "transition", lowest),
    }
)


def n_words(words: Words) -> int:
    """The number of tokens that are not whitespace."""
    return sum(not token.is_space for token in words)


def arc_probabilities(tokens: Words) -> list[float | None]:
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
