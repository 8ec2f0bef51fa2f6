"""The attributes of the tokens of a batch of documents as one table of numbers.

Tagger and parser are so fast that reading each Doc alone would take longer than tagging
or parsing it. So these functions read a whole batch at once where they can.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from types import MappingProxyType

import numpy as np
from spacy.attrs import IDX, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc

from ..core.state.sentence import Sentence, consecutive_sentences
from ..util.arrays import BoolArray, IdArray, IntArray
from .borders import read_tokens
from .columns import ColumnReader, reader_of
from .tables import count_nonzero

# The attributes that the parser reads beside its columns and the forms.
FOR_PARSING = (SENT_START, IS_SPACE)


class AttributeTable:
    """The attributes of the tokens of some documents.

    Tokens are numbered through the batch: those of the first document come first.

    Args:
        docs: The documents.
        sources: The sources of the columns of the features, see
            `spacy_dynoracle.doc.columns`.
        others: Numbers of further attributes of spaCy, among them IS_SPACE.
        given: Values that replace those of documents: by the number of the document and
            the name of the attribute, one for each token.

    Attributes:
        table: uint64 of shape (n tokens, n columns + 1 + n others): the columns, the
            ids of the forms and the other attributes.
        sources: As the argument.
        values, orth: The columns, and the ids of the forms.
        bounds: The first token of each document, and the end of the last one.
        nullable: The columns in which 0 means nothing.
        any_space: Whether any token is whitespace.
        missing: For each document the annotation behind the columns that no token has.
        keeps_starts: Whether the sentence starts of a document that has a tree already
            are those of a component before the parser.

    Raises:
        ValueError: For an unknown source.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        sources: Sequence[str],
        others: tuple[int, ...] = FOR_PARSING,
        given: Mapping[int, Mapping[str, IdArray]] = MappingProxyType({}),
    ) -> None:
        sources = tuple(sources)
        reader = reader_of(sources)
        self.docs = docs
        self.keeps_starts = False
        self.sources = sources
        self.n_columns, self.others = len(sources), others
        self.nullable = reader.nullable
        self.bounds: list[int] = [0, *accumulate(map(len, docs))]
        self.table: IdArray = read_tokens(docs, (*reader.read, ORTH, *others))
        for number, values in given.items():
            for column, source in enumerate(sources):
                attribute = source.partition(":")[0]
                if attribute in values:
                    self.table[self.part(number), column] = values[attribute]
        self.values: IdArray = self.table[:, : self.n_columns]
        self.orth: IdArray = self.table[:, self.n_columns]
        # For each column the number of tokens that have a value.
        self.n_values: list[int] = count_nonzero(self.table)
        self.any_space = self.n_values[self._column_of(IS_SPACE)] > 0
        self.missing: list[list[str]] = []
        for first, last in [(0, 1)] if len(docs) == 1 else one_vocab(docs):
            self._derive(reader, first, last)
        if "space" in reader.following and self.any_space:
            spaces = self.values[:, reader.following["space"]]
            spaces[self._before_space()] = 1
        if "line" in reader.following:
            self.values[:, reader.following["line"]] = self.line_breaks > 0

    def __len__(self) -> int:
        """The number of tokens."""
        return self.bounds[-1]

    def other(self, attribute: int) -> IdArray:
        """The column of one of the other attributes."""
        return self.table[:, self._column_of(attribute)]

    def _column_of(self, attribute: int) -> int:
        return self.n_columns + 1 + self.others.index(attribute)

    # ---- tokens of a document ----------------------------------------------------

    def part(self, number: int) -> slice:
        """The tokens of the document with this number."""
        return slice(self.bounds[number], self.bounds[number + 1])

    def forms(self, number: int) -> IdArray:
        """The ids of the forms of a document."""
        return self.orth[self.part(number)]

    @cached_property
    def characters(self) -> IntArray:
        """For each token its first character in the text of its document."""
        return read_tokens(self.docs, (IDX,))[:, 0].view(np.int64)

    # ---- whitespace --------------------------------------------------------------

    @cached_property
    def is_space(self) -> BoolArray:
        """For each token whether it is whitespace."""
        found: BoolArray = self.other(IS_SPACE) != 0
        return found

    @cached_property
    def line_breaks(self) -> IntArray:
        """For each token the number of line breaks between it and the next word of its
        document, or the end of the document.
        """
        if not self.any_space:
            return np.zeros(len(self), dtype=np.int64)
        own = np.zeros(len(self) + 1, dtype=np.int64)
        for first, last in one_vocab(self.docs):
            part = slice(self.bounds[first], self.bounds[last])
            spaces = part.start + np.flatnonzero(self.is_space[part])
            strings = self.docs[first].vocab.strings
            forms, which = np.unique(self.orth[spaces], return_inverse=True)
            numbers = [n_line_breaks(strings[form]) for form in forms.tolist()]
            own[spaces + 1] = np.array(numbers, dtype=np.int64)[which]
        before = np.cumsum(own)
        bounds = np.array(self.bounds)
        tokens = np.arange(len(self))
        # Whitespace behind the last word of a document ends with the document.
        stops = np.union1d(self.words, bounds)
        until = stops[np.searchsorted(stops, tokens, side="right")]
        found: IntArray = before[until] - before[tokens + 1]
        return found

    def _before_space(self) -> BoolArray:
        """For each token whether the next one of its document is whitespace."""
        found = np.zeros(len(self), dtype=np.bool_)
        found[:-1] = self.is_space[1:]
        ends = np.array(self.bounds[1:])
        found[ends[ends > 0] - 1] = False
        return found

    # ---- words -------------------------------------------------------------------

    @cached_property
    def words(self) -> IntArray:
        """The tokens that are words, as whitespace is not."""
        if self.any_space:
            return np.flatnonzero(~self.is_space)
        return np.arange(len(self))

    @cached_property
    def word_bounds(self) -> list[int]:
        """As `bounds`, counted in words."""
        if not self.any_space:
            return self.bounds
        found: list[int] = np.searchsorted(self.words, self.bounds).tolist()
        return found

    def of_words(self, of_tokens: IdArray) -> IdArray:
        """Select the rows of words from the rows of all tokens."""
        return of_tokens[self.words] if self.any_space else of_tokens

    def sentences_of_words(self, bounds: Sequence[int]) -> list[Sentence]:
        """All words as the input of the core, cut at these places."""
        return consecutive_sentences(self.of_words(self.values), bounds, self.nullable)

    def sentences(self, parts: Sequence[IntArray]) -> list[Sentence]:
        """Parts of the tokens as the input of the core."""
        bounds = [0, *accumulate(map(len, parts))]
        tokens = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        return consecutive_sentences(self.values[tokens], bounds, self.nullable)

    def sentence(self, tokens: IntArray | None = None) -> Sentence:
        """Some tokens, or all of them, as the input of the core."""
        values = self.values if tokens is None else self.values[tokens]
        return Sentence(values, self.nullable)

    # ---- sentence starts ---------------------------------------------------------

    @cached_property
    def starts(self) -> IntArray:
        """For each token 1 if a sentence starts there, -1 if none does, else 0.

        It may be changed.
        """
        return self.other(SENT_START).view(np.int64)

    @cached_property
    def any_start(self) -> bool:
        """Whether anything is known of sentence starts behind the first tokens of the
        documents.
        """
        column = self._column_of(SENT_START)
        n_starts = self.n_values[column]
        if len(self.docs) == 1 or not n_starts:
            return n_starts > 1 or (n_starts == 1 and not self.table[0, column])
        bounds = np.array(self.bounds)
        first_tokens = bounds[:-1][bounds[:-1] < bounds[1:]]
        return bool(n_starts > np.count_nonzero(self.table[first_tokens, column]))

    def known_starts(self) -> IntArray:
        """The tokens of which it is known, by the present `starts`, whether a sentence
        starts there. First tokens of documents are left out, as one always does.
        """
        known = self.starts != 0
        bounds = np.array(self.bounds)
        known[bounds[bounds < len(self)]] = False
        return np.flatnonzero(known)

    def docs_with_starts(self) -> list[int]:
        """The numbers of the documents with `known_starts`."""
        if not self.any_start:
            return []
        before = np.searchsorted(self.known_starts(), self.bounds)
        found: list[int] = np.flatnonzero(np.diff(before)).tolist()
        return found

    # ---- helpers -----------------------------------------------------------------

    def _derive(self, reader: ColumnReader, first: int, last: int) -> None:
        """Make the columns of some documents of one vocab from what was read, and see
        what is missing.
        """
        start = self.bounds[first]
        table = self.table[start : self.bounds[last]]
        vocab = self.docs[first].vocab
        bounds = self.bounds
        n_values = self.n_values
        if last - first < len(self.docs):
            bounds = [bound - start for bound in bounds[first : last + 1]]
            n_values = count_nonzero(table)
        self.missing += reader.missing(vocab, table, bounds, n_values)
        reader.derive(vocab, table, self.n_columns)


def one_vocab(docs: Sequence[Doc]) -> Iterator[tuple[int, int]]:
    """The bounds of the runs of documents that share a vocab."""
    cuts = [i for i, (a, b) in enumerate(pairwise(docs), 1) if a.vocab is not b.vocab]
    return pairwise([0, *cuts, len(docs)] if docs else [])


@lru_cache(maxsize=1024)
def n_line_breaks(text: str) -> int:
    """The number of line breaks in whitespace; a carriage return with a line feed is
    one.
    """
    return len(f"{text}.".splitlines()) - 1
