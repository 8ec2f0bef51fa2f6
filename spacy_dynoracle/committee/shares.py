"""The shares of votes, as the probabilities of arcs that a Doc keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..doc.attribute_table import AttributeTable
from ..parser.arc_records import ArcRecord
from ..parser.batch_records import BatchRecords
from ..util.arrays import IdArray, IntArray


def share_records(
    docs: Sequence[Doc], tables: Sequence[IdArray], found: IdArray, strings: StringStore
) -> list[ArcRecord | None]:
    """For each document the record of the arcs that were voted for; None for documents
    without tokens.

    tables: the votes, see `spacy_dynoracle.committee.voting`, of all documents
    together. found: the result of the vote. strings: knows all labels.

    Every parser counts once, whatever its weight.
    """
    tokens = AttributeTable(docs, ())
    records = BatchRecords(tokens, len(tables))
    words, at = tokens.words, tokens.characters
    if len(words):
        arcs = np.stack([found, *tables])[:, words]
        heads: IntArray = words + arcs[:, :, 0].view(np.int64)
        distances = at[heads] - at[words]
        ids, numbers = np.unique(arcs[:, :, 1], return_inverse=True)
        labels = numbers.reshape(distances.shape)
        of_votes = np.tile(np.arange(len(words)), len(tables))
        records.draws.add_arcs(
            words,
            of_votes,
            (distances[1:].ravel(), labels[1:].ravel()),
            np.ones(len(of_votes), dtype=np.int64),
            (distances[0], labels[0]),
        )
        records.draws.labels = [strings[label] for label in ids.tolist()]
    return records.finished(found)
