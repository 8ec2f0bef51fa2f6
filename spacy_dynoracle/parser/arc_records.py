"""What the parser says about its arcs, as it is kept in `Doc.user_data`.

Each parse leaves one record, under a key that spaCy moves with the text in
`Span.as_doc` and `Doc.from_docs`. Tokens are known by their first character, counted
from where the record begins, and heads by their distance in characters from their
dependents. A record is a dict of bytes (little-endian arrays), strings and integers,
which every way of saving a Doc keeps:

- at: for each token its character.
- rows: for each token a `ROW`.

and with marginals

- n_samples: how many derivations were drawn of each sentence.
- own: for each token an `OWN`.
- first: for each token its first draw, and how many draws there are.
- draws: for each token, the most frequent first, what was drawn for it, each a `DRAW`.
- labels: those of the draws, joined by NUL.

What a record says of a token holds as long as the token has the form, the head and the
label that the parser gave it: `ROW.check` tells. So nothing is said of tokens whose
arcs another component has changed, or of those that `as_doc` has cut from their heads.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.tokens import Doc, Token

from ..util.arrays import IdArray, IntArray

# A later format gets another name.
NAME = "dynoracle_arcs.v1"
# The key of spaCy for extensions of a token: the one at character 0.
KEY = ("._.", NAME, 0, None)

# check: see `checks`. transition: probability of the transition that made the arc. log:
# sum of the log-probabilities of the decisions about the word; lowest: the lowest of
# these probabilities. NaN where there are none, as for whitespace.
ROW = np.dtype(
    [("check", "<u8"), ("transition", "<f8"), ("log", "<f8"), ("lowest", "<f8")]
)
# Taking a row out of bytes is several times faster so than with numpy.
ROW_STRUCT = struct.Struct("<Qddd")
# How often the head that the parser chose, and this head with its label, were drawn.
OWN = np.dtype([("head", "<i4"), ("dep", "<i4")])
# head: distance from the word, 0 if it is the root. label: number among the labels.
DRAW = np.dtype([("head", "<i4"), ("label", "<i4"), ("count", "<i4")])
PAIR_STRUCT = struct.Struct("<ii")

MULTIPLIER = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

ArcRecord = dict[str, Any]


def checks(orth: IdArray, dep: IdArray, distance: IntArray) -> IdArray:
    """A number for each arc, from the form of its token, its label and the distance of
    its head in characters."""
    k = np.uint64(MULTIPLIER)
    mixed: IdArray = (dep * k + distance.view(np.uint64)) * k + orth
    return mixed


def check(token: Token) -> int:
    """The same for the present arc of a token."""
    distance = token.head.idx - token.idx
    return ((token.dep * MULTIPLIER + distance) * MULTIPLIER + token.orth) & MASK


def keep_arc_record(doc: Doc, record: ArcRecord | None) -> None:
    """Keep the record of the latest parse of a Doc, and nothing of earlier ones."""
    user_data: dict[Any, Any] = doc.user_data
    if user_data:
        for key in [key for key in user_data if is_own(key)]:
            del user_data[key]
    if record is not None:
        user_data[KEY] = record


def is_own(key: Any) -> bool:
    """Whether a key of user data is that of a record."""
    return isinstance(key, tuple) and key[:2] == KEY[:2]


@dataclass
class KnownArc:
    """What a record says of a token, the one with this number in it."""

    record: ArcRecord
    number: int
    transition: float | None
    log: float | None
    lowest: float | None

    @property
    def head_share(self) -> float | None:
        """The share of the draws with the head of the parser's arc; None without
        draws."""
        return self._share(0)

    @property
    def dep_share(self) -> float | None:
        """The share of the draws with its head and label; None without draws."""
        return self._share(1)

    def _share(self, member: int) -> float | None:
        if self._bounds() is None:
            return None
        own = PAIR_STRUCT.unpack_from(self.record["own"], self.number * OWN.itemsize)
        share: float = own[member] / self.record["n_samples"]
        return share

    def draws(self) -> list[tuple[int, str, int]] | None:
        """(distance of the head, label, count) for what was drawn, the most frequent
        first; None without draws."""
        bounds = self._bounds()
        if bounds is None:
            return None
        draws = np.frombuffer(self.record["draws"], DRAW)[slice(*bounds)]
        labels = self.record["labels"].split("\0")
        return [(head, labels[i], count) for head, i, count in draws.tolist()]

    def _bounds(self) -> tuple[int, int] | None:
        """Where the draws of the token begin and end."""
        if "draws" not in self.record:
            return None
        begin, end = PAIR_STRUCT.unpack_from(self.record["first"], self.number * 4)
        return (begin, end) if begin < end else None


def known_arc(token: Token) -> KnownArc | None:
    """What is known of a token with its present arc."""
    user_data: dict[Any, Any] = token.doc.user_data
    if not user_data:
        return None
    position = token.idx
    wanted = check(token)
    # The only record, unless the Doc is made of others.
    if KEY in user_data:
        found = _known_arc(user_data[KEY], position, wanted)
        if found is not None:
            return found
    for key, record in user_data.items():
        if is_own(key):
            found = _known_arc(record, position - key[2], wanted)
            if found is not None:
                return found
    return None


def _known_arc(record: ArcRecord, position: int, wanted: int) -> KnownArc | None:
    at = np.frombuffer(record["at"], "<i4")
    # Of the same type, lest the array is converted.
    number = int(at.searchsorted(np.int32(position)))
    if number == len(at) or at[number] != position:
        return None
    found, *values = ROW_STRUCT.unpack_from(record["rows"], number * ROW.itemsize)
    if found != wanted:
        return None
    return KnownArc(record, number, *(None if math.isnan(v) else v for v in values))
