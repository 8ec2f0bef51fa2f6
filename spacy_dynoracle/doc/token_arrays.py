"""The attributes of a `Doc` as arrays: the input of the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from spacy.attrs import IDX, IS_SPACE, SENT_START
from spacy.tokens import Doc

from ..core.state.sentence import Sentence
from ..util.arrays import BoolArray, IdArray, IntArray
from . import preset_boundaries
from .attribute_table import BatchTable

if TYPE_CHECKING:
    from .preset_arcs import PresetArcs

# Attributes beside the columns and the forms.
ALSO_READ = (IDX, SENT_START, IS_SPACE)


class TokenArrays:
    """The attributes of a Doc that the parser reads.

    doc: the document. sources: of the columns of the parser's input, such as "ORTH";
    see `spacy_dynoracle.doc.columns`.

    values: uint64 of shape (n tokens, n columns). has_starts: whether a start of a
    sentence is known, or that there is none, behind the first token. words: the indices
    of the tokens that are no whitespace; None if all are words. missing: the annotation
    behind the columns that no token has.

    Raises ValueError for an unknown source.
    """

    def __init__(self, doc: Doc, sources: Sequence[str]) -> None:
        self._take(BatchTable([doc], tuple(sources), ALSO_READ), 0)

    @classmethod
    def of_batch(cls, docs: Sequence[Doc], sources: Sequence[str]) -> list[TokenArrays]:
        """The arrays of several documents, which takes less time than one by one."""
        batch = BatchTable(docs, tuple(sources), ALSO_READ)
        found = []
        for number in range(len(docs)):
            arrays = cls.__new__(cls)
            arrays._take(batch, number)
            found.append(arrays)
        return found

    def _take(self, batch: BatchTable, number: int) -> None:
        """Take over a document of a batch. Most documents need none of the arrays: they
        are cut out of those of the batch when they are asked for."""
        self._batch = batch
        self._part = slice(batch.bounds[number], batch.bounds[number + 1])
        self.missing = batch.missing[number]
        self.words = batch.words[number]
        self._sentence = batch.sentences[number]
        self._starts: IntArray | None = None
        self.has_starts = batch.any_start and bool(self.sent_starts[1:].any())

    def __len__(self) -> int:
        length: int = self._part.stop - self._part.start
        return length

    @property
    def values(self) -> IdArray:
        """The columns of the parser's input."""
        return self._batch.values[self._part]

    @property
    def nullable(self) -> list[int]:
        """The columns in which 0 means nothing."""
        return self._batch.nullable

    @property
    def orth(self) -> IdArray:
        """The ids of the forms."""
        return self._batch.orth[self._part]

    @property
    def characters(self) -> IntArray:
        """Where each token begins in the text."""
        return self._batch.other(IDX)[self._part].view(np.int64)

    @property
    def is_space(self) -> BoolArray:
        """Whether each token is whitespace."""
        return self._batch.is_space[self._part]

    @property
    def has_spaces(self) -> bool:
        """Whether any is."""
        return self.words is not None

    @property
    def sent_starts(self) -> IntArray:
        """For each token 1 if a sentence starts there, -1 if none does, else 0."""
        if self._starts is not None:
            return self._starts
        return self._batch.other(SENT_START)[self._part].view(np.int64)

    def keep_presets(self, doc: Doc, sentences: str, arcs: PresetArcs | None) -> None:
        """Leave only sentence starts that are preset.

        Under "predict" those that an earlier parse has found go, and those that it was
        bound by come back. arcs: those to be kept, if any; spaCy writes starts for
        them, which are not presets.
        """
        if not self.has_starts:
            return
        if arcs is not None:
            found = arcs.sentence_starts(self.sent_starts, sentences)
            if sentences == "predict":
                kept = preset_boundaries.recall(doc, self.characters)
                found = np.where(kept != 0, kept, found)
            self._starts = found
        elif sentences == "predict" and doc.has_annotation("DEP"):
            self._starts = preset_boundaries.recall(doc, self.characters)
        self.has_starts = bool(self.sent_starts[1:].any())

    def presets(self) -> bytes:
        """The record of the sentence boundaries that are preset."""
        if not self.has_starts:
            return b""
        return preset_boundaries.record(self.characters, self.sent_starts)

    def sentence(self, words: IntArray | None) -> Sentence:
        """The parser's input for some of the tokens, or for all."""
        if words is self.words:
            return self._sentence
        values = self.values if words is None else self.values[words]
        return Sentence(values, self.nullable)
