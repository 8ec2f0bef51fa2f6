"""Preset sentence boundaries, remembered with the Doc.

A parse replaces the preset boundaries by the boundaries of its trees and keeps the
preset ones in `Doc.user_data`. A second parse respects these and no other boundaries,
so it gives the same result as the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from spacy.tokens import Doc

from ..util.arrays import IntArray
from .attribute_table import AttributeTable
from .records import DAMAGE, record_key, records_of

if TYPE_CHECKING:
    from .preset_arcs import PresetArcs

# A later format gets another name.
NAME = "dynoracle_presets.v1"
KEY = record_key(NAME)
# Key of the spans of multiword tokens in `Doc.spans`. No sentence starts inside of one.
MULTIWORD = "multiword"
# at: the first character of a token. start: 1 if a sentence has to start there, -1 if
# none may.
ROW = np.dtype([("at", "<i4"), ("start", "<i4")])
# The record of a document without presets, where it needs one.
NO_PRESETS = np.zeros(1, dtype=ROW).tobytes()


def keep_presets(
    tokens: AttributeTable, sentences: str, presets: Sequence[PresetArcs | None]
) -> None:
    """Leave only those sentence starts in a table that are preset.

    Under "predict" those that an earlier parse has found go, and those that it was
    bound by come back.

    Args:
        presets: For each document the arcs to be kept, if any; spaCy writes starts for
            them, which are not presets.
    """
    for number in tokens.docs_with_starts():
        doc, arcs, part = tokens.docs[number], presets[number], tokens.part(number)
        if arcs is not None:
            found = arcs.sentence_starts(tokens.starts[part], sentences)
            if sentences == "predict":
                kept = recall(doc, tokens.characters[part])
                found = np.where(kept != 0, kept, found)
            tokens.starts[part] = found
        # Without a record, a component before the parser may have found them.
        elif (
            sentences == "predict"
            and doc.has_annotation("DEP")
            and (records_of(doc, KEY) or not tokens.keeps_starts)
        ):
            tokens.starts[part] = recall(doc, tokens.characters[part])


def preset_records(tokens: AttributeTable) -> list[bytes]:
    """For each document the record of its preset sentence boundaries; b"" where a
    document without presets needs none.
    """
    found = [b""] * len(tokens.docs)
    if tokens.any_start:
        known = tokens.known_starts()
        rows = np.empty(len(known), dtype=ROW)
        rows["at"] = tokens.characters[known]
        rows["start"] = tokens.starts[known]
        kept = rows.tobytes()
        bounds = np.searchsorted(known, tokens.bounds) * ROW.itemsize
        found = [kept[first:last] for first, last in pairwise(bounds.tolist())]
    # Without a record, the next parse would take these sentences for preset ones.
    return [own or NO_PRESETS for own in found] if tokens.keeps_starts else found


def recall(doc: Doc, characters: IntArray) -> IntArray:
    """The recorded boundaries of a document: for each token 1 if a sentence has to
    start there, -1 if none may, 0 if nothing is preset. What is damaged in a record is
    left out.

    Args:
        characters: Where each token begins.
    """
    starts = np.zeros(len(characters), dtype=np.int64)
    for begin, record in records_of(doc, KEY) if len(starts) else ():
        try:
            rows = np.frombuffer(record, ROW)
        except DAMAGE:
            continue
        rows = rows[np.isin(rows["start"], (-1, 1))]
        at = rows["at"].astype(np.int64) + begin
        token = np.minimum(np.searchsorted(characters, at), len(starts) - 1)
        there = characters[token] == at
        starts[token[there]] = rows["start"][there]
    return starts
