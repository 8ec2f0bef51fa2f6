"""Records of the best trees of a document, kept in `Doc.user_data`.

A parse with the setting `n_best` leaves one record (see `spacy_dynoracle.doc.records`),
of bytes (little-endian arrays) and strings, which every way of saving a Doc keeps. It
is a list of dicts, one for each segment:

- at: for each word its first character, counted from where the record begins.
- orth: for each word the id of its form.
- heads: for each tree and word the head, a word 0..n-1 of the segment; that of a root
  is its own.
- label_numbers: for each tree and word the place of its label in `labels`.
- labels: the strings; see `arc_records.kept_strings`.
- scores, and log_sums, ranker_scores and mixture if there are any: for each tree.

The record of a segment holds as long as all of its words are there as they were. A
damaged record counts as none.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from spacy.attrs import IDX, IS_SPACE, ORTH
from spacy.tokens import Doc

from ..doc.records import DAMAGE, record_key, records_of
from ..util.arrays import IdArray, IntArray
from .arc_records import kept_strings, strings
from .best_trees import BestTrees

# A later format gets another name.
NAME = "dynoracle_trees.v1"
KEY = record_key(NAME)

# Values of trees that only some searches and models give.
OPTIONAL = ("log_sums", "ranker_scores", "mixture")

TreeRecord = list[dict[str, Any]]


def tree_record(trees: Iterable[BestTrees], at: IntArray, orth: IdArray) -> TreeRecord:
    """The record of the best trees of a document.

    Args:
        at: For each token of the document its first character.
        orth: The id of its form.
    """
    return [_segment(best, at, orth) for best in trees]


def _segment(best: BestTrees, at: IntArray, orth: IdArray) -> dict[str, Any]:
    used, numbers = np.unique(best.label_numbers, return_inverse=True)
    kept: dict[str, Any] = {
        "at": at[best.words].astype("<i4").tobytes(),
        "orth": orth[best.words].astype("<u8").tobytes(),
        "heads": np.searchsorted(best.words, best.heads).astype("<i4").tobytes(),
        "label_numbers": numbers.astype("<i4").tobytes(),
        "labels": kept_strings([best.label_names[i] for i in used.tolist()]),
        "scores": best.scores.astype("<f8").tobytes(),
    }
    for name in OPTIONAL:
        values = getattr(best, name)
        if values is not None:
            kept[name] = values.astype("<f8").tobytes()
    return kept


def kept_segments(doc: Doc) -> list[BestTrees] | None:
    """The trees of the segments of a Doc, in their order; None unless the records cover
    all present words.
    """
    records = records_of(doc, KEY)
    if not records:
        return None
    table: np.ndarray = doc.to_array([IDX, ORTH, IS_SPACE])
    table = table.reshape(len(doc), 3)
    at = table[:, 0].astype(np.int64)
    found = []
    for begin, kept in records:
        try:
            for segment in kept:
                words = _words(segment, begin, at, table[:, 1])
                if words is not None:
                    found.append(_kept(doc, words, segment))
        except DAMAGE:
            return None
    found.sort(key=lambda kept: int(kept.words[0]))
    known = np.concatenate([np.zeros(0, np.int64), *(kept.words for kept in found)])
    return found if np.array_equal(known, np.flatnonzero(table[:, 2] == 0)) else None


def _words(
    segment: dict[str, Any], begin: int, at: IntArray, orth: IdArray
) -> IntArray | None:
    """The tokens that are the words of a segment; None if any is missing."""
    wanted = np.frombuffer(segment["at"], "<i4").astype(np.int64) + begin
    if not len(wanted):
        raise ValueError("a segment without words")
    words: IntArray = np.searchsorted(at, wanted)
    if (words == len(at)).any() or (at[words] != wanted).any():
        return None
    same = orth[words] == np.frombuffer(segment["orth"], "<u8")
    return words if same.all() else None


def _kept(doc: Doc, words: IntArray, segment: dict[str, Any]) -> BestTrees:
    """The trees of a segment.

    Raises:
        ValueError: Unless they are trees with labels and scores.
    """
    labels = strings(segment["labels"])

    def matrix(name: str, end: int) -> IntArray:
        flat = np.frombuffer(segment[name], "<i4").astype(np.int64)
        if not len(flat) or flat.min() < 0 or flat.max() >= end:
            raise ValueError(f"{name} out of range")
        return flat.reshape(-1, len(words))

    heads = matrix("heads", len(words))
    numbers = matrix("label_numbers", len(labels))
    scores, *optional = (
        np.frombuffer(segment[name], "<f8") if name in segment else None
        for name in ("scores", *OPTIONAL)
    )
    sizes = {len(a) for a in (heads, numbers, scores, *optional) if a is not None}
    if scores is None or len(sizes) != 1 or not _are_trees(heads):
        raise ValueError("not the trees of a segment")
    return BestTrees(doc, words, words[heads], numbers, labels, scores, *optional)


def _are_trees(heads: IntArray) -> bool:
    """Whether every word of every tree descends from a root.

    Args:
        heads: Shape (k, n), the place of the head of each word; that of a root is its
            own.
    """
    reached = heads
    for _ in range(heads.shape[1].bit_length()):
        reached = np.take_along_axis(reached, reached, axis=1)
    return bool((np.take_along_axis(heads, reached, axis=1) == reached).all())
