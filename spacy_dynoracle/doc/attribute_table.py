"""From a batch of documents to one table of numbers.

Tagger and parser are so fast that what is done for each Doc would take longer than
their own work: everything that can be is done for a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
from spacy.attrs import IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc

from ..core.state.sentence import consecutive_sentences
from ..util.arrays import BoolArray, IdArray, IntArray
from .columns import reader_of


class BatchTable:
    """Attributes of the tokens of some documents.

    docs: the documents. sources: of the columns of the features, see
    `spacy_dynoracle.doc.columns`. others: numbers of further attributes of spaCy, among
    them IS_SPACE.

    table: uint64 of shape (n tokens, n columns + 1 + n others): the columns, the ids of
    the forms and the other attributes. bounds: where the tokens of each document begin,
    and where those of the last one end. values, orth: the columns, and the ids of the
    forms. nullable: the columns in which 0 means nothing. is_space: for each token;
    any_space: for any. words: for each document the indices of its words, as whitespace
    is none; None if all tokens are words. word_bounds: as `bounds`, of words alone.
    sentences: of the words of each document. any_start: whether the start of a
    sentence, or that there is none, is known of any token that is not the first of its
    Doc (if SENT_START is read). missing: for each document the annotation behind the
    columns that no token has.

    Raises ValueError for an unknown source.
    """

    def __init__(
        self, docs: Sequence[Doc], sources: tuple[str, ...], others: tuple[int, ...]
    ) -> None:
        reader = reader_of(sources)
        self.n_columns, self.others = len(sources), others
        self.nullable = reader.nullable
        self.bounds: list[int] = [0, *np.cumsum([len(doc) for doc in docs]).tolist()]
        attributes, columns = read_once(sources, others)
        width = len(columns)
        self.missing: list[list[str]] = []
        if not docs:
            self.table: IdArray = np.zeros((0, width), dtype=np.uint64)
        else:
            tables = [doc.to_array(attributes) for doc in docs]
            read = tables[0] if len(tables) == 1 else np.concatenate(tables)
            self.table = np.take(read, columns, axis=1)
        self.values: IdArray = self.table[:, : self.n_columns]
        self.orth: IdArray = self.table[:, self.n_columns]
        self.is_space: BoolArray = self.other(IS_SPACE) != 0
        self.any_space = bool(self.is_space.any())
        self.any_start = SENT_START in others and self._any_start(
            self.other(SENT_START)
        )
        self._derive(docs, sources)
        self.words: list[IntArray | None] = [None] * len(docs)
        self.word_bounds = self.bounds
        if self.any_space:
            self._find_words()
        self.sentences = consecutive_sentences(
            self.of_words(self.values), self.word_bounds, self.nullable
        )

    def other(self, attribute: int) -> IdArray:
        """The column of one of the other attributes."""
        return self.table[:, self.n_columns + 1 + self.others.index(attribute)]

    def of_words(self, of_tokens: IdArray) -> IdArray:
        """What belongs to words, out of something that is there for all tokens."""
        return of_tokens[~self.is_space] if self.any_space else of_tokens

    def _find_words(self) -> None:
        is_word = ~self.is_space
        n_before = np.concatenate(([0], np.cumsum(is_word)))
        self.word_bounds = n_before[self.bounds].tolist()
        n_words = np.diff(self.word_bounds)
        for number in np.flatnonzero(n_words < np.diff(self.bounds)).tolist():
            start, end = self.bounds[number : number + 2]
            self.words[number] = np.flatnonzero(is_word[start:end])

    def _any_start(self, starts: IdArray) -> bool:
        n_first = np.count_nonzero(starts[self._firsts()])
        return bool(np.count_nonzero(starts) > n_first)

    def _firsts(self) -> IntArray:
        """The first token of each document that has any."""
        bounds = np.array(self.bounds)
        firsts: IntArray = bounds[:-1][bounds[:-1] < bounds[1:]]
        return firsts

    def _derive(self, docs: Sequence[Doc], sources: tuple[str, ...]) -> None:
        """Make the columns of what was read, and see what is missing."""
        reader = reader_of(sources)
        first = 0
        for _, group in groupby(docs, key=lambda doc: id(doc.vocab)):
            some = list(group)
            last = first + len(some)
            table = self.table[self.bounds[first] : self.bounds[last]]
            vocab = some[0].vocab
            if len(some) > 1 and not reader.missing_anywhere(vocab, table):
                self.missing += [[] for _ in some]
            else:
                self.missing += [
                    reader.missing(vocab, self.table[start:end])
                    for start, end in zip(
                        self.bounds[first:last],
                        self.bounds[first + 1 : last + 1],
                        strict=True,
                    )
                ]
            reader.derive(vocab, table, self.n_columns)
            first = last


@lru_cache(maxsize=64)
def read_once(
    sources: tuple[str, ...], others: tuple[int, ...]
) -> tuple[list[int | str], IntArray]:
    """The attributes to read, each once, and for each column of the table which of them
    it is."""
    wanted = [*reader_of(sources).read, ORTH, *others]
    attributes, columns = np.unique(wanted, return_inverse=True)
    return attributes.tolist(), columns
