"""Heads and labels that the parser writes to a `Doc`."""

import numpy as np
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..doc import preset_boundaries
from ..doc.records import keep_record
from ..util.arrays import BoolArray, IdArray
from . import arc_records, tree_records

# The label of whitespace tokens and of arcs without a label.
NO_LABEL = "dep"
ROOT_LABEL = "ROOT"
NO_LABEL_ID = np.uint64(get_string_id(NO_LABEL))
ROOT_LABEL_ID = np.uint64(get_string_id(ROOT_LABEL))


class Annotations:
    """Heads and labels of the tokens of one Doc, to be written to it.

    Args:
        table: uint64 of shape (n tokens, 2), as `Doc.from_array` wants it: the offset
            of the head from the token (0 for roots), and the id of the label.
        presets: The record of the preset sentence boundaries; None if the record of an
            earlier parse stays.

    Attributes:
        arcs: The record of the probabilities of these arcs, or None.
        trees: The record of the best trees, or None.
    """

    __slots__ = ("arcs", "presets", "table", "trees")

    def __init__(self, table: IdArray, presets: bytes | None = None) -> None:
        self.table = table
        self.arcs: arc_records.ArcRecord | None = None
        self.trees: tree_records.TreeRecord | None = None
        self.presets = presets

    def keep_records(self, doc: Doc) -> None:
        """Keep the records that the extensions of the Doc read."""
        keep_record(doc, arc_records.KEY, self.arcs)
        keep_record(doc, tree_records.KEY, self.trees)
        if self.presets is not None:
            keep_record(doc, preset_boundaries.KEY, self.presets or None)


def attach_spaces(table: IdArray, is_space: BoolArray) -> None:
    """Attach whitespace tokens to the word before them, and leading ones to the first
    word. In a document without words the first token is the root.

    Args:
        table: A table as in `Annotations`; it is changed in place.
    """
    spaces = np.flatnonzero(is_space)
    words = np.flatnonzero(~is_space)
    table[spaces, 1] = NO_LABEL_ID
    if len(words):
        before = np.searchsorted(words, spaces) - 1
        heads = words[np.maximum(before, 0)]
    else:
        heads = np.zeros_like(spaces)
        table[0, 1] = ROOT_LABEL_ID
    table[spaces, 0] = (heads - spaces).view(np.uint64)
