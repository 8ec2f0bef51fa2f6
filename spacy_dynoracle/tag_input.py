"""From documents to the tagger's input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc

from .arrays import IdArray, IntArray
from .batch_tables import BatchTable
from .core.sentence import Sentence


class WordBatch:
    """The words of some documents.

    docs: the documents. sources: of the columns of the features, see
    `spacy_dynoracle.columns`. attributes: numbers of attributes of spaCy to read as
    well.

    bounds: where the tokens of each document begin, and where those of the last one
    end. orth: ids of the forms of all tokens. sentences: the words of each document.
    words: for each document the indices of its words; None if all tokens are words.
    is_space: for each token; any_space: for any. attributes: of all tokens, those that
    were asked for.

    Raises ValueError for an unknown source.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        sources: tuple[str, ...],
        attributes: tuple[int, ...] = (),
    ) -> None:
        batch = BatchTable(docs, sources, (IS_SPACE, *attributes))
        self.is_space, self.any_space = batch.is_space, batch.any_space
        self.attributes: IdArray = batch.table[:, batch.n_columns + 2 :]
        self.bounds = batch.bounds
        self.orth: IdArray = batch.table[:, batch.n_columns]
        values = batch.table[:, : batch.n_columns]
        self.sentences: list[Sentence] = []
        self.words: list[IntArray | None] = []
        for start, end in pairwise(self.bounds):
            part, words = values[start:end], None
            if batch.any_space and batch.is_space[start:end].any():
                words = np.flatnonzero(~batch.is_space[start:end])
                part = part[words]
            self.sentences.append(Sentence(part, batch.nullable))
            self.words.append(words)

    def with_forms(self) -> list[tuple[Sentence, IdArray]]:
        """The sentences, each with the ids of the forms of its words."""
        return [
            (sentence, forms if words is None else forms[words])
            for i, (sentence, words) in enumerate(
                zip(self.sentences, self.words, strict=True)
            )
            for forms in (self.forms(i),)
        ]

    def forms(self, number: int) -> IdArray:
        """The ids of the forms of a document."""
        return self.orth[self.bounds[number] : self.bounds[number + 1]]
