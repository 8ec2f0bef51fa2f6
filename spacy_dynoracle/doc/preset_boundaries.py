"""Sentence boundaries that were preset, remembered with the Doc.

A parse puts the boundaries of its trees in their place. Those that were preset are
kept in `Doc.user_data`, as `spacy_dynoracle.parser.arc_records` keeps probabilities, so
that another parse is bound by them as well, and by no other boundary: parsing twice is
parsing once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..util.arrays import IntArray

# A later format gets another name.
NAME = "dynoracle_presets.v1"
# The key of spaCy for extensions of a token: the one at character 0.
KEY = ("._.", NAME, 0, None)
# at: the first character of a token. start: 1 if a sentence has to start there, -1 if
# none may.
ROW = np.dtype([("at", "<i4"), ("start", "<i4")])


def record(characters: IntArray, starts: IntArray) -> bytes:
    """What is kept of a Doc: its preset boundaries.

    characters: where each token begins. starts: 1 start, -1 no start, 0 not preset.
    """
    # Every document starts with a sentence, preset or not.
    preset = 1 + np.flatnonzero(starts[1:])
    rows = np.empty(len(preset), dtype=ROW)
    rows["at"] = characters[preset]
    rows["start"] = starts[preset]
    return rows.tobytes()


def remember(doc: Doc, kept: bytes) -> None:
    """Keep a record, and nothing of what was kept before."""
    user_data: dict[Any, Any] = doc.user_data
    if user_data:
        for key in [key for key in user_data if _is_own(key)]:
            del user_data[key]
    if kept:
        user_data[KEY] = kept


def recall(doc: Doc, characters: IntArray) -> IntArray:
    """The boundaries that were kept, in the form that `record` takes."""
    starts = np.zeros(len(characters), dtype=np.int64)
    for key, value in doc.user_data.items():
        if _is_own(key) and len(starts):
            rows = np.frombuffer(value, ROW)
            at = rows["at"] + key[2]
            token = np.minimum(np.searchsorted(characters, at), len(starts) - 1)
            there = characters[token] == at
            starts[token[there]] = rows["start"][there]
    return starts


def _is_own(key: Any) -> bool:
    return isinstance(key, tuple) and key[:2] == KEY[:2]
