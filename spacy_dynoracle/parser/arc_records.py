"""Records of the probabilities of arcs, kept in `Doc.user_data`.

Each parse leaves one record (see `spacy_dynoracle.doc.records`). Tokens are known by
their first character, counted from where the record begins, and heads by their distance
in characters from their dependents. A record is a dict of bytes (little-endian arrays),
strings and integers, which every way of saving a Doc keeps:

- at: for each token its first character.
- rows: for each token a `ROW`.

and with marginals

- n_samples: the number of derivations drawn for each sentence. Calibrated votes of a
  committee have fewer draws; the others are those of unknown arcs.
- own: for each token an `OWN`.
- first: for each token the number of its first draw; behind them the number of draws.
- draws: for each token the drawn arcs, the most frequent first, each a `DRAW`.
- labels: the labels of the draws; see `kept_strings`.

The values of a token are valid as long as the token has the form, the head and the
label of the parse, which `ROW.check` verifies. So a token has no values if another
component has changed its arc, or if `as_doc` has cut it from its head. A token of a
damaged record has no values either.
"""

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Token

from ..doc.records import DAMAGE, record_key, records_of
from ..util.arrays import IdArray, IntArray

# A later format gets another name.
NAME = "dynoracle_arcs.v1"
KEY = record_key(NAME)

# check: see `checks`. transition: probability of the transition that made the arc. log:
# sum of the log-probabilities of the decisions about the word; lowest: the lowest of
# these probabilities. NaN where there are none, as for whitespace.
ROW = np.dtype(
    [("check", "<u8"), ("transition", "<f8"), ("log", "<f8"), ("lowest", "<f8")]
)
# Reading a row from bytes is several times faster with struct than with numpy.
ROW_STRUCT = struct.Struct("<Qddd")
# How often the head that the parser chose, and this head with its label, were drawn.
OWN = np.dtype([("head", "<i4"), ("dep", "<i4")])
# head: distance from the word, 0 if it is the root. label: number among the labels, of
# which `OTHER_LABEL` stands for all labels that are not known.
DRAW = np.dtype([("head", "<i4"), ("label", "<i4"), ("count", "<i4")])
PAIR_STRUCT = struct.Struct("<ii")
OTHER_LABEL = ""

MULTIPLIER = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

ArcRecord = dict[str, Any]


def checks(orth: IdArray, dep: IdArray, distance: IntArray) -> IdArray:
    """A number for each arc, from the form of its token, its label and the distance of
    its head in characters.
    """
    k = np.uint64(MULTIPLIER)
    mixed: IdArray = (dep * k + distance.view(np.uint64)) * k + orth
    return mixed


def check(token: Token) -> int:
    """The number of the present arc of a token; see `checks`."""
    distance = token.head.idx - token.idx
    return ((token.dep * MULTIPLIER + distance) * MULTIPLIER + token.orth) & MASK


@dataclass
class KnownArc:
    """The values of a record for the token with this number in the record."""

    record: ArcRecord
    number: int
    transition: float | None
    log: float | None
    lowest: float | None

    def share(self, *, with_label: bool) -> float | None:
        """The share of the draws with the head of the parser's arc, or with its head
        and label; None without draws.
        """
        try:
            if self._bounds() is None:
                return None
            at = self.number * OWN.itemsize
            own = PAIR_STRUCT.unpack_from(self.record["own"], at)
            share: float = own[with_label] / self.record["n_samples"]
        except DAMAGE:
            return None
        return share if 0 <= share <= 1 else None

    def draws(self) -> tuple[list[tuple[int, str, int]], int] | None:
        """The drawn arcs, for each (distance of the head, label, count), the most
        frequent first, and the number of samples; None without draws.
        """
        try:
            bounds = self._bounds()
            if bounds is None:
                return None
            draws = np.frombuffer(self.record["draws"], DRAW)[slice(*bounds)]
            labels = strings(self.record["labels"])
            found = [(head, labels[i], count) for head, i, count in draws.tolist()]
            n_samples = int(self.record["n_samples"])
        except DAMAGE:
            return None
        counts = [count for *_, count in found]
        if not found or min(counts) <= 0 or sum(counts) > n_samples:
            return None
        return found, n_samples

    def _bounds(self) -> tuple[int, int] | None:
        """The first draw of the token and the end of its draws."""
        if "draws" not in self.record:
            return None
        begin, end = PAIR_STRUCT.unpack_from(self.record["first"], self.number * 4)
        return (begin, end) if 0 <= begin < end else None


def kept_strings(labels: list[str]) -> str | list[str]:
    """Strings for a record: joined by NUL, or a list if one of them contains NUL."""
    return labels if any("\0" in label for label in labels) else "\0".join(labels)


def strings(kept: Any) -> list[str]:
    """The strings that `kept_strings` made.

    Raises:
        TypeError: For anything else.
    """
    found = kept.split("\0") if isinstance(kept, str) else kept
    if not isinstance(found, (list, tuple)):
        raise TypeError(f"{type(found).__name__} instead of strings")
    if not all(isinstance(label, str) for label in found):
        raise TypeError("something else among the strings")
    return list(found)


NOT_KNOWN = KnownArc({}, 0, None, None, None)


def known_arc(token: Token) -> KnownArc:
    """The recorded values of a token; `NOT_KNOWN` if it has none, or another arc."""
    user_data: dict[Any, Any] = token.doc.user_data
    if not user_data:
        return NOT_KNOWN
    position = token.idx
    wanted = check(token)
    # The Doc has other records only if it is made of other Docs.
    if KEY in user_data:
        found = _known_arc(user_data[KEY], position, wanted)
        if found is not None:
            return found
    for begin, record in records_of(token.doc, KEY):
        found = _known_arc(record, position - begin, wanted)
        if found is not None:
            return found
    return NOT_KNOWN


def _known_arc(record: ArcRecord, position: int, wanted: int) -> KnownArc | None:
    try:
        at = np.frombuffer(record["at"], "<i4")
        # A value of the same type saves a conversion of the array.
        number = int(at.searchsorted(np.int32(position)))
        if number == len(at) or at[number] != position:
            return None
        found, *values = ROW_STRUCT.unpack_from(record["rows"], number * ROW.itemsize)
    except DAMAGE:
        return None
    if found != wanted:
        return None
    return KnownArc(record, number, *(None if math.isnan(v) else v for v in values))
