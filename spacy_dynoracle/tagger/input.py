"""From documents to the tagger's input."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.attrs import IS_SPACE
from spacy.tokens import Doc

from ..doc.attribute_table import BatchTable
from ..util.arrays import IdArray


class WordBatch:
    """The words of some documents.

    docs: the documents. sources: of the columns of the features, see
    `spacy_dynoracle.doc.columns`. attributes: numbers of attributes of spaCy to read as
    well.

    bounds: where the tokens of each document begin, and where those of the last one
    end. orth: ids of the forms of all tokens. sentences: the words of each document.
    words: for each document the indices of its words; None if all tokens are words.
    word_bounds, word_orth: as `bounds` and `orth`, of words alone. is_space: for each
    token; any_space: for any. attributes: of all tokens, those that were asked for.

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
        self.bounds, self.word_bounds = batch.bounds, batch.word_bounds
        self.orth, self.word_orth = batch.orth, batch.of_words(batch.orth)
        self.words, self.sentences = batch.words, batch.sentences

    def forms(self, number: int) -> IdArray:
        """The ids of the forms of a document."""
        return self.orth[self.bounds[number] : self.bounds[number + 1]]

    def word_forms(self, number: int) -> IdArray:
        """The ids of the forms of its words."""
        start, end = self.word_bounds[number : number + 2]
        return self.word_orth[start:end]
