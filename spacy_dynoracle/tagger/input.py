"""From documents to the tagger's input."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from spacy.attrs import IS_SPACE, SENT_START
from spacy.tokens import Doc

from ..core.state.sentence import Sentence
from ..doc.attribute_table import AttributeTable
from ..util.arrays import IdArray, IntArray


class WordBatch(AttributeTable):
    """The words of some documents.

    Args:
        docs: The documents.
        sources: The sources of the columns of the features, see
            `spacy_dynoracle.doc.columns`.
        attributes: Numbers of further spaCy attributes to read.
        by_sentence: Whether to cut the documents where a token is marked as the start
            of a sentence.
        attributes: The values of the further attributes, for all tokens.

    Attributes:
        sequences: The sequences of words that are labelled one by one: those of each
            sentence, or of each document.
        cuts: The first word of each sequence, and the end of the last one.
        word_orth: The ids of the forms of all words.

    Raises:
        ValueError: For an unknown source.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        sources: Sequence[str],
        attributes: tuple[int, ...] = (),
        *,
        by_sentence: bool = False,
    ) -> None:
        own = (IS_SPACE, SENT_START) if by_sentence else (IS_SPACE,)
        super().__init__(docs, sources, (*own, *attributes))
        self.attributes: IdArray = self.table[:, self.n_columns + 1 + len(own) :]
        self.word_orth = self.of_words(self.orth)
        self.cut_at(self._sentence_bounds() if by_sentence else self.word_bounds)

    def cut_at(self, cuts: Sequence[int]) -> None:
        """Replace the sequences.

        Args:
            cuts: As the member.
        """
        self.cuts = cuts
        self.__dict__.pop("sequences", None)

    @cached_property
    def sequences(self) -> list[Sentence]:
        """The words of each sequence as the input of the core.

        Training replaces the cuts before it asks for them.
        """
        return self.sentences_of_words(self.cuts)

    def _sentence_bounds(self) -> list[int]:
        """The first word of each sentence, and the end of the last one."""
        starts = np.flatnonzero(self.starts == 1)
        # A start on whitespace moves to the next word, or to the end of the batch.
        words = np.searchsorted(self.words, starts)
        found: list[int] = np.union1d(words, self.word_bounds).tolist()
        return found

    @cached_property
    def plain_orth(self) -> IdArray:
        """The ids of the forms of all words, with plain characters if the features
        read forms.
        """
        if "ORTH" in self.sources:
            return self.of_words(self.values[:, self.sources.index("ORTH")])
        return self.word_orth

    def words_of(self, number: int) -> IntArray:
        """The token indices of the words of a document."""
        start, end = self.word_bounds[number : number + 2]
        indices: IntArray = self.words[start:end] - self.bounds[number]
        return indices
