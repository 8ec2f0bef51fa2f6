"""From `Doc` objects to the parser's input, and back.

Whitespace tokens never reach the parser. A document is cut into *segments*, each of
which is parsed on its own and may be bound to have one root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, IS_SPACE, SENT_START
from spacy.strings import get_string_id
from spacy.tokens import Doc

from . import preset_starts, tree_records
from .arc_records import Record, store
from .arrays import BoolArray, IdArray, IntArray
from .batch_tables import BatchTable
from .core.sentence import Sentence

if TYPE_CHECKING:
    from .preset_arcs import PresetArcs

# The label of whitespace tokens, and of arcs that an untrained model cannot label.
NO_LABEL = "dep"
ROOT_LABEL = "ROOT"
# Attributes beside the columns and the forms.
ALSO_READ = (IDX, SENT_START, IS_SPACE)


@dataclass(frozen=True)
class Segment:
    """Words that are parsed together.

    words: the indices of the tokens in the Doc, ascending; None for all tokens.
    one_root: whether they must form one sentence.
    inner: for each word whether a sentence may not start there (a preset False); None
        where nothing is preset.
    """

    words: IntArray | None
    one_root: bool
    inner: BoolArray | None = None


# Most documents are parsed like this.
ALL_TOKENS = Segment(None, False)


class TokenArrays:
    """The attributes of a Doc that the parser reads.

    doc: the document. sources: of the columns of the parser's input, such as "ORTH";
    see `spacy_dynoracle.columns`.

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
                kept = preset_starts.recall(doc, self.characters)
                found = np.where(kept != 0, kept, found)
            self._starts = found
        elif sentences == "predict" and doc.has_annotation("DEP"):
            self._starts = preset_starts.recall(doc, self.characters)
        self.has_starts = bool(self.sent_starts[1:].any())

    def presets(self) -> bytes:
        """The record of the sentence boundaries that are preset."""
        if not self.has_starts:
            return b""
        return preset_starts.record(self.characters, self.sent_starts)

    def sentence(self, words: IntArray | None) -> Sentence:
        """The parser's input for some of the tokens, or for all."""
        if words is self.words:
            return self._sentence
        values = self.values if words is None else self.values[words]
        return Sentence(values, self.nullable)


def segments(tokens: TokenArrays, sentences: str) -> list[Segment]:
    """The segments of a document under a setting of `sentences`.

    "predict": cut where a sentence is preset to start. "preset": the sentences of the
    Doc, one root each. "doc": the whole document, one root.

    What is cut is parsed as if the rest did not exist, so no arc can cross the place,
    and a sentence starts there whatever the model says.
    """
    words = tokens.words
    if len(tokens) == 0 or (words is not None and len(words) == 0):
        return []
    if sentences == "doc":
        return [Segment(words, True)]
    # A sentence starts at the first word in any case.
    if sentences == "predict" and not tokens.has_starts:
        return [ALL_TOKENS if words is None else Segment(words, False)]
    if words is None:
        words = np.arange(len(tokens))
    starts = _starts_of_words(tokens.sent_starts, words)
    if sentences == "predict" and not starts[1:].any():
        return [Segment(words, False)]
    cuts = np.flatnonzero(starts == 1)
    found = []
    for first, last in pairwise([0, *cuts[cuts > 0].tolist(), len(words)]):
        inner = starts[first:last] == -1
        one_root = sentences == "preset" or bool(inner[1:].all())
        found.append(Segment(words[first:last], one_root, inner))
    return found


def _starts_of_words(given: IntArray, words: IntArray) -> IntArray:
    """Sentence starts for words only: a start on blanks moves to the next word."""
    starts: IntArray = given[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(given == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts


class Annotations:
    """Heads and labels of the tokens of one Doc, to be written to it.

    table: uint64 of shape (n tokens, 2), as `Doc.from_array` wants it: the offset of
    the head from the token (0 for roots), and the id of the label. record: what is
    known of these arcs, if anything. trees: the record of the best trees, if there is
    one. presets: the record of the sentence boundaries that were preset; None where one
    of an earlier parse stays in force.
    """

    def __init__(self, table: IdArray) -> None:
        self.table = table
        self.record: Record | None = None
        self.trees: tree_records.Record | None = None
        self.presets: bytes | None = None

    @classmethod
    def empty(cls, n_tokens: int) -> Annotations:
        """Every token a root, to be filled segment by segment."""
        table = np.zeros((n_tokens, 2), dtype=np.uint64)
        table[:, 1] = get_string_id(NO_LABEL)
        return cls(table)

    def add(self, words: IntArray, table: IdArray) -> None:
        """Take over the tree of a segment.

        words: the indices of its tokens. table: as above, the offsets counted in words
        of the segment.
        """
        heads = words[np.arange(len(words)) + table[:, 0].view(np.int64)]
        self.table[words, 0] = (heads - words).view(np.uint64)
        self.table[words, 1] = table[:, 1]

    def attach_spaces(self, is_space: BoolArray) -> None:
        """Attach whitespace to the word before it, leading whitespace to the word after
        it; in a document of blanks the first is the root."""
        spaces = np.flatnonzero(is_space)
        words = np.flatnonzero(~is_space)
        if len(words):
            before = np.searchsorted(words, spaces) - 1
            heads = words[np.maximum(before, 0)]
        else:
            heads = np.zeros_like(spaces)
            self.table[0, 1] = get_string_id(ROOT_LABEL)
        self.table[spaces, 0] = (heads - spaces).view(np.uint64)

    def write(self, doc: Doc) -> None:
        """Set head, dep and sentence boundaries of every token of the Doc, and what its
        extensions say of them."""
        if len(self.table):
            doc.from_array([HEAD, DEP], self.table)  # type: ignore[arg-type]
        has_news = self.record is not None or self.trees is not None or self.presets
        if not has_news and not doc.user_data:
            return
        store(doc, self.record)
        tree_records.store(doc, self.trees)
        if self.presets is not None:
            preset_starts.remember(doc, self.presets)
