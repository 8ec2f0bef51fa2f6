"""Records of the best trees of a document, kept in `Doc.user_data`.

A parse with the setting `k_best` leaves one record, in the way of
`spacy_dynoracle.parser.arc_records`: under a key that spaCy moves with the text in
`Span.as_doc` and `Doc.from_docs`, as bytes (little-endian arrays) and strings, which
every way of saving a Doc keeps. It is a list of dicts, one for each segment:

- at: for each word its first character, counted from where the record begins.
- orth: for each word the id of its form.
- heads: for each tree and word the head, a word 0..n-1 of the segment; that of a root
  is its own.
- label_numbers: for each tree and word the place of its label in `labels`.
- labels: the strings, joined by NUL.
- scores, and log_sums, ranker_scores and mixture if there are any: for each tree.

The record of a segment holds as long as all of its words are there as they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from spacy.attrs import IDX, IS_SPACE, ORTH
from spacy.tokens import Doc

from ..util.arrays import FloatArray, IdArray, IntArray

if TYPE_CHECKING:
    from .best_trees import BestTrees

# A later format gets another name.
NAME = "dynoracle_trees.v1"
# The key of spaCy for extensions of a token: the one at character 0.
KEY = ("._.", NAME, 0, None)

# Values of trees that only some searches and models give.
OPTIONAL = ("log_sums", "ranker_scores", "mixture")

TreeRecord = list[dict[str, Any]]


class KeptTrees(NamedTuple):
    """The trees of a segment in a record: the members of `best_trees.BestTrees`."""

    words: IntArray
    heads: IntArray
    label_numbers: IntArray
    label_names: list[str]
    scores: FloatArray
    log_sums: FloatArray | None
    ranker_scores: FloatArray | None
    mixture: FloatArray | None


def tree_record(trees: Iterable[BestTrees], at: IntArray, orth: IdArray) -> TreeRecord:
    """The record of the best trees of a document.

    at: for each token of the document its first character. orth: the id of its form.
    """
    return [_segment(best, at, orth) for best in trees]


def _segment(best: BestTrees, at: IntArray, orth: IdArray) -> dict[str, Any]:
    used, numbers = np.unique(best.label_numbers, return_inverse=True)
    kept: dict[str, Any] = {
        "at": at[best.words].astype("<i4").tobytes(),
        "orth": orth[best.words].astype("<u8").tobytes(),
        "heads": np.searchsorted(best.words, best.heads).astype("<i4").tobytes(),
        "label_numbers": numbers.astype("<i4").tobytes(),
        "labels": "\0".join(best.label_names[i] for i in used.tolist()),
        "scores": best.scores.astype("<f8").tobytes(),
    }
    for name in OPTIONAL:
        values = getattr(best, name)
        if values is not None:
            kept[name] = values.astype("<f8").tobytes()
    return kept


def keep_tree_record(doc: Doc, kept: TreeRecord | None) -> None:
    """Keep the record of the latest parse of a Doc and delete earlier records."""
    user_data: dict[Any, Any] = doc.user_data
    if user_data:
        for key in [key for key in user_data if _is_own(key)]:
            del user_data[key]
    if kept is not None:
        user_data[KEY] = kept


def kept_segments(doc: Doc) -> list[KeptTrees] | None:
    """The trees of the segments of a Doc, in their order; None unless the records cover
    all present words."""
    user_data: dict[Any, Any] = doc.user_data
    records = [(key[2], kept) for key, kept in user_data.items() if _is_own(key)]
    if not records:
        return None
    table: np.ndarray = doc.to_array([IDX, ORTH, IS_SPACE])
    table = table.reshape(len(doc), 3)
    at = table[:, 0].astype(np.int64)
    found = []
    for begin, kept in records:
        for segment in kept:
            words = _words(segment, begin, at, table[:, 1])
            if words is not None:
                found.append(_kept(words, segment))
    found.sort(key=lambda kept: int(kept.words[0]))
    n_known = sum(len(kept.words) for kept in found)
    return found if n_known == (table[:, 2] == 0).sum() else None


def _words(
    segment: dict[str, Any], begin: int, at: IntArray, orth: IdArray
) -> IntArray | None:
    """The tokens that are the words of a segment; None if any is missing."""
    wanted = np.frombuffer(segment["at"], "<i4").astype(np.int64) + begin
    words: IntArray = np.searchsorted(at, wanted)
    if (words == len(at)).any() or (at[words] != wanted).any():
        return None
    same = orth[words] == np.frombuffer(segment["orth"], "<u8")
    return words if same.all() else None


def _kept(words: IntArray, segment: dict[str, Any]) -> KeptTrees:
    def matrix(name: str) -> IntArray:
        flat = np.frombuffer(segment[name], "<i4").astype(np.int64)
        return flat.reshape(-1, len(words))

    return KeptTrees(
        words,
        words[matrix("heads")],
        matrix("label_numbers"),
        segment["labels"].split("\0"),
        np.frombuffer(segment["scores"], "<f8"),
        *(
            np.frombuffer(segment[name], "<f8") if name in segment else None
            for name in OPTIONAL
        ),
    )


def _is_own(key: Any) -> bool:
    return isinstance(key, tuple) and key[:2] == KEY[:2]
