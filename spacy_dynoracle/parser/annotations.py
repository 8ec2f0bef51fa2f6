"""Heads and labels on their way to a `Doc`."""

from __future__ import annotations

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..doc import preset_boundaries
from ..util.arrays import BoolArray, IdArray, IntArray
from . import tree_records
from .arc_records import Record, store

# The label of whitespace tokens, and of arcs that an untrained model cannot label.
NO_LABEL = "dep"
ROOT_LABEL = "ROOT"


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
            preset_boundaries.remember(doc, self.presets)
