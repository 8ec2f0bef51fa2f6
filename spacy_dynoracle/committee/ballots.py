"""What the members of a committee vote for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..parser.component import DynOracleParser
from ..util.arrays import IdArray, IntArray


class Drawn(NamedTuple):
    """Arcs of sampled derivations, one entry for each.

    Attributes:
        tokens: The dependents.
        distances: Those of the heads in characters.
        labels: Ids.
        counts: How many derivations have the arc.
        n_samples: The number of derivations.
    """

    tokens: IntArray
    distances: IntArray
    labels: IdArray
    counts: npt.NDArray[np.integer]
    n_samples: int


class Ballot(NamedTuple):
    """The arcs that a member is for, in a batch of documents.

    Attributes:
        table: Its trees, see `spacy_dynoracle.committee.voting`.
        drawn: None if it draws no derivations.
    """

    table: IdArray
    drawn: Drawn | None = None

    @classmethod
    def joined(cls, parts: Sequence[Ballot], starts: Sequence[int]) -> Ballot:
        """The ballots of a member for several batches, as one.

        Args:
            starts: For each batch the number of its first token.
        """
        table = np.concatenate([part.table for part in parts])
        several = [
            part.drawn._replace(tokens=part.drawn.tokens + start)
            for part, start in zip(parts, starts, strict=True)
            if part.drawn is not None
        ]
        if not several:
            return cls(table)
        joined = Drawn(
            np.concatenate([drawn.tokens for drawn in several]),
            np.concatenate([drawn.distances for drawn in several]),
            np.concatenate([drawn.labels for drawn in several]),
            np.concatenate([drawn.counts for drawn in several]),
            several[0].n_samples,
        )
        return cls(table, joined)


def can_draw(parser: DynOracleParser) -> bool:
    """Whether a member can draw derivations: those of greedy search."""
    return parser.recipe.search.gives_probabilities


def ballot_of(
    parser: DynOracleParser, docs: list[Doc], temperature: float | None, n_samples: int
) -> Ballot:
    """What a member votes for.

    Args:
        temperature: Makes probabilities of its scores; None if it draws no derivations.
            It also draws none if its search is not greedy any more.
    """
    if temperature is None or not can_draw(parser):
        tables = [annotations.table for annotations in parser.predict(docs)]
        return Ballot(np.concatenate(tables))
    table, draws = parser.sampled(docs, temperature, n_samples)
    tokens, arcs = draws.arcs()
    ids = np.array([get_string_id(label) for label in draws.labels], dtype=np.uint64)
    distances = arcs["head"].astype(np.int64)
    drawn = Drawn(tokens, distances, ids[arcs["label"]], arcs["count"], n_samples)
    return Ballot(table, drawn)
