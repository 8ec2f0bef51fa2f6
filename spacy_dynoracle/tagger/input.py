"""From documents to the tagger's input."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.attrs import IS_SPACE
from spacy.tokens import Doc

from ..doc.attribute_table import AttributeTable
from ..util.arrays import IdArray, IntArray


class WordBatch(AttributeTable):
    """The words of some documents.

    docs: the documents. sources: the sources of the columns of the features, see
    `spacy_dynoracle.doc.columns`. attributes: numbers of further spaCy attributes to
    read.

    doc_sentences: the words of each document.
    word_orth: the ids of the forms of all words.
    attributes: the values of the further attributes, for all tokens.

    Raises ValueError for an unknown source.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        sources: Sequence[str],
        attributes: tuple[int, ...] = (),
    ) -> None:
        super().__init__(docs, sources, (IS_SPACE, *attributes))
        self.attributes: IdArray = self.table[:, self.n_columns + 2 :]
        self.word_orth = self.of_words(self.orth)
        self.doc_sentences = self.sentences_of_words(self.word_bounds)

    def words_of(self, number: int) -> IntArray:
        """The token indices of the words of a document."""
        start, end = self.word_bounds[number : number + 2]
        indices: IntArray = self.words[start:end] - self.bounds[number]
        return indices

    def word_forms(self, number: int) -> IdArray:
        """The ids of the forms of the words of a document."""
        start, end = self.word_bounds[number : number + 2]
        return self.word_orth[start:end]
