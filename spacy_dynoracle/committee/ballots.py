"""The votes of the members of a committee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from spacy.tokens import Doc

from ..doc.borders import string_ids
from ..parser.component import DynOracleParser
from ..util.arrays import FloatArray, IdArray, IntArray

# Every vote counts a little.
LEAST = 1e-9


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
        sureness: For each token how sure it is of the arc: the lowest probability of
            its decisions about the token, or 1 if it does not say.
        drawn: None if it draws no derivations.
    """

    table: IdArray
    sureness: FloatArray
    drawn: Drawn | None = None

    @classmethod
    def joined(cls, parts: Sequence[Ballot], starts: Sequence[int]) -> Ballot:
        """The ballots of a member for several batches, as one.

        Args:
            starts: For each batch the number of its first token.
        """
        table, sureness = map(
            np.concatenate, zip(*(part[:2] for part in parts), strict=True)
        )
        several = [
            part.drawn._replace(tokens=part.drawn.tokens + start)
            for part, start in zip(parts, starts, strict=True)
            if part.drawn is not None
        ]
        if not several:
            return cls(table, sureness)
        tokens, distances, labels, counts = map(
            np.concatenate, zip(*(drawn[:4] for drawn in several), strict=True)
        )
        drawn = Drawn(tokens, distances, labels, counts, several[0].n_samples)
        return cls(table, sureness, drawn)


def ballot_of(
    parser: DynOracleParser,
    docs: list[Doc],
    temperature: float | None,
    n_samples: int,
    how_sure: float | None = None,
) -> Ballot:
    """The votes of a member in some documents.

    Args:
        temperature: Makes probabilities of its scores; None if it draws no derivations.
        how_sure: The temperature of the probabilities that tell how sure it is of each
            arc, unless it draws derivations; None if nobody asks.
    """
    divisor = temperature or how_sure
    if divisor is None or not parser.recipe.has_probabilities:
        tables = [annotations.table for annotations in parser.predict(docs)]
        table = np.concatenate(tables)
        return Ballot(table, np.ones(len(table)))
    n_samples = 0 if temperature is None else n_samples
    table, records = parser.sampled(docs, divisor, n_samples)
    sureness = np.ones(len(table))
    if how_sure is not None:
        # Whitespace has no decisions.
        np.fmin(sureness, records.rows["lowest"] + LEAST, out=sureness)
    if not n_samples:
        return Ballot(table, sureness)
    draws = records.draws
    tokens, arcs = draws.arcs()
    ids = string_ids(draws.labels)
    distances = arcs["head"].astype(np.int64)
    drawn = Drawn(tokens, distances, ids[arcs["label"]], arcs["count"], n_samples)
    return Ballot(table, sureness, drawn)


def weights_of(ballots: Sequence[Ballot], weights: FloatArray) -> FloatArray:
    """The weights of all votes: those of the members times how sure they are."""
    return weights[:, np.newaxis] * np.stack([ballot.sureness for ballot in ballots])
