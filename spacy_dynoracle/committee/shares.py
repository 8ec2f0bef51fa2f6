"""The probabilities of arcs by their votes, as the records that a Doc keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..doc.attribute_table import AttributeTable
from ..parser.arc_records import OTHER_LABEL, ArcRecord
from ..parser.batch_records import BatchRecords
from ..util.arrays import FloatArray, IdArray, IntArray
from .calibration import VoteCalibration
from .votes import Votes

# Records count samples. Calibrated probabilities are counts of so many.
RESOLUTION = 10**6


def share_records(
    docs: Sequence[Doc],
    tables: Sequence[IdArray],
    found: IdArray,
    strings: StringStore,
    calibration: VoteCalibration | None = None,
) -> list[ArcRecord | None]:
    """For each document the record of the arcs that were voted for; None for documents
    without tokens.

    tables: the votes, see `spacy_dynoracle.committee.voting`, of all documents
    together. found: the result of the vote. strings: knows all labels. calibration:
    makes probabilities of the votes; None for the shares of the votes.

    Every parser counts once, whatever its weight.
    """
    tokens = AttributeTable(docs, ())
    n_samples = len(tables) if calibration is None else RESOLUTION
    records = BatchRecords(tokens, n_samples)
    words, at = tokens.words, tokens.characters
    if not len(words):
        return records.finished(found)
    votes = Votes.of(tables, words)
    ids, numbers = np.unique(votes.labels, return_inverse=True)
    labels: IntArray = numbers.reshape(votes.labels.shape)
    chosen = found[words, 0].view(np.int64)

    of_heads, of_arcs = votes.probabilities(calibration)
    arcs = _counts(of_arcs, n_samples) * votes.first_arc
    heads = _counts(of_heads, n_samples)
    # The probability of a head that is left for labels that nobody voted for.
    others = (heads - (votes.same_head * arcs).sum(axis=1)) * votes.first_head
    counts = np.concatenate([arcs, others])
    drawn, of_words = np.nonzero(counts > 0)

    def distances(offsets: IntArray, of: IntArray) -> IntArray:
        """The distances of heads in characters. of: the words, among these words."""
        tokens = words[of]
        found: IntArray = at[tokens + offsets] - at[tokens]
        return found

    every = np.arange(len(words))
    offsets = np.concatenate([votes.heads, votes.heads])[drawn, of_words]
    names = np.concatenate([labels, np.full_like(labels, len(ids))])[drawn, of_words]
    records.draws.add_arcs(
        words,
        of_words,
        (distances(offsets, of_words), names),
        counts[drawn, of_words],
        (distances(chosen, every), np.searchsorted(ids, found[words, 1])),
    )
    records.draws.labels = [*(strings[label] for label in ids.tolist()), OTHER_LABEL]
    return records.finished(found)


def _counts(probabilities: FloatArray, n_samples: int) -> IntArray:
    """The counts that stand for probabilities, rounded down, so that the sum is not
    larger than the number of samples."""
    # Shares of votes are exact but for rounding errors.
    return np.floor(probabilities * n_samples + 1e-6).astype(np.int64)
