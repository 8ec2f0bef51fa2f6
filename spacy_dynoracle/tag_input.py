"""From documents to the tagger's input.

A tagger needs less of a Doc than a parser, and is so fast that what is done for each
Doc would take longer than tagging it: everything that can be is done for a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise

import numpy as np
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc

from .arrays import BoolArray, IdArray, IntArray
from .columns import reader_of
from .core.sentence import Sentence


class WordBatch:
    """The words of some documents.

    docs: the documents. sources: of the columns of the features, see
    `spacy_dynoracle.columns`.

    bounds: where the tokens of each document begin, and where those of the last one
    end. orth: ids of the forms of all tokens. sentences: the words of each document.
    words: for each document the indices of its words; None if all tokens are words.

    Raises ValueError for an unknown source.
    """

    def __init__(self, docs: Sequence[Doc], sources: tuple[str, ...]) -> None:
        self.bounds = [0, *np.cumsum([len(doc) for doc in docs]).tolist()]
        nullable = reader_of(sources).nullable
        table = self._table(docs, sources)
        self.orth: IdArray = table[:, -2]
        is_space: BoolArray = table[:, -1] != 0
        values = table[:, :-2]
        any_space = bool(is_space.any())
        self.sentences: list[Sentence] = []
        self.words: list[IntArray | None] = []
        for start, end in pairwise(self.bounds):
            part, words = values[start:end], None
            if any_space and is_space[start:end].any():
                words = np.flatnonzero(~is_space[start:end])
                part = part[words]
            self.sentences.append(Sentence(part, nullable))
            self.words.append(words)

    def _table(self, docs: Sequence[Doc], sources: tuple[str, ...]) -> IdArray:
        """The columns, the ids of the forms and whether it is whitespace."""
        attributes, columns = read_once(sources)
        if not docs:
            return np.zeros((0, len(columns)), dtype=np.uint64)
        tables = [doc.to_array(attributes) for doc in docs]
        table: IdArray = np.take(np.concatenate(tables), columns, axis=1)
        reader = reader_of(sources)
        first = 0
        for _, group in groupby(docs, key=lambda doc: id(doc.vocab)):
            some = list(group)
            start, end = self.bounds[first], self.bounds[first + len(some)]
            reader.derive(some[0].vocab, table[start:end], len(sources))
            first += len(some)
        return table

    def forms(self, number: int) -> IdArray:
        """The ids of the forms of a document."""
        return self.orth[self.bounds[number] : self.bounds[number + 1]]


@lru_cache(maxsize=64)
def read_once(sources: tuple[str, ...]) -> tuple[list[int | str], IntArray]:
    """The attributes to read, each once, and for each column which of them it is."""
    wanted = [*reader_of(sources).read, ORTH, IS_SPACE]
    attributes, columns = np.unique(wanted, return_inverse=True)
    return attributes.tolist(), columns
