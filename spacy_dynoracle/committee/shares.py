"""The probabilities of arcs by their votes, as the records that a Doc keeps."""

from collections.abc import Sequence

import numpy as np
from spacy.strings import StringStore

from ..doc.attribute_table import AttributeTable
from ..parser.arc_records import OTHER_LABEL, ArcRecord
from ..parser.batch_records import BatchRecords
from ..util.arrays import FloatArray, IdArray, IntArray
from .ballots import Ballot
from .calibration import VoteCalibration
from .votes import ArcShares

# Records count samples. Calibrated probabilities are counts of so many.
RESOLUTION = 10**6


def share_records(
    tokens: AttributeTable,
    ballots: Sequence[Ballot],
    found: IdArray,
    strings: StringStore,
    calibration: VoteCalibration | None = None,
) -> list[ArcRecord | None]:
    """For each document the record of the arcs that were voted for; None for documents
    without tokens.

    Every parser counts once, whatever its weight.

    Args:
        tokens: Those of all documents.
        ballots: Of the members.
        found: The result of the vote.
        strings: Knows all labels.
        calibration: Makes probabilities of the votes; None for the shares of the votes.
    """
    words, at = tokens.words, tokens.characters
    shares = ArcShares.of(ballots, words, at)
    n_samples = shares.total if calibration is None else RESOLUTION
    records = BatchRecords(tokens, n_samples)
    if not len(words):
        return records.finished(found)
    of_heads, of_arcs = shares.probabilities(calibration)
    arcs = _counts(of_arcs, n_samples)
    # The probability of a head that is left for labels that nobody voted for.
    heads = _counts(of_heads, n_samples)
    others = heads - np.bincount(shares.head_of, arcs, len(heads)).astype(np.int64)

    ids, labels = np.unique(
        np.concatenate([shares.labels, found[words, 1]]), return_inverse=True
    )
    labels, chosen = np.split(labels, [len(shares.labels)])
    entries = np.concatenate([np.arange(len(arcs)), shares.first])
    names = np.concatenate([labels, np.full(len(others), len(ids))])
    counts = np.concatenate([arcs, others])
    known = counts > 0
    entries, names = entries[known], names[known]
    offsets = found[words, 0].view(np.int64)
    records.draws.add_arcs(
        words,
        shares.words[entries],
        (shares.distances[entries], names),
        counts[known],
        (at[words + offsets] - at[words], chosen),
    )
    records.draws.labels = [*(strings[label] for label in ids.tolist()), OTHER_LABEL]
    return records.finished(found)


def _counts(probabilities: FloatArray, n_samples: int) -> IntArray:
    """The counts that stand for probabilities, rounded down, so that the sum is not
    larger than the number of samples.
    """
    # Shares of votes are exact but for rounding errors.
    return np.floor(probabilities * n_samples + 1e-6).astype(np.int64)
