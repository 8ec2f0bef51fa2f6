"""Records of the probabilities of sentence starts, kept in `Doc.user_data`.

A record is kept under a key that spaCy moves with the text in `Span.as_doc` and
`Doc.from_docs`. Tokens are known by their first character, counted from where the
record begins. The value of a token is valid as long as the token has the same form.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from spacy.attrs import IDX, ORTH
from spacy.tokens import Doc, Token

from ..util.arrays import FloatArray

# A later format gets another name.
NAME = "dynoracle_starts.v1"
# The key of spaCy for extensions of a token: the one at character 0.
KEY = ("._.", NAME, 0, None)
# at: the first character of a word. form: the id of its form. start: the probability
# that a sentence starts there.
ROW = np.dtype([("at", "<i4"), ("form", "<u8"), ("start", "<f8")])


def keep_probabilities(doc: Doc, probabilities: FloatArray | None) -> None:
    """Keep the probabilities of starts and delete earlier records.

    probabilities: for each token, NaN for whitespace; None if there are none.
    """
    user_data: dict[Any, Any] = doc.user_data
    if user_data:
        for key in [key for key in user_data if _is_own(key)]:
            del user_data[key]
    if probabilities is None:
        return
    words = np.flatnonzero(~np.isnan(probabilities))
    table = doc.to_array([IDX, ORTH]).reshape(len(doc), 2)[words]
    rows = np.empty(len(words), dtype=ROW)
    rows["at"], rows["form"] = table[:, 0], table[:, 1]
    rows["start"] = probabilities[words]
    user_data[KEY] = rows.tobytes()


def start_probability(token: Token) -> float | None:
    """The recorded probability that a sentence starts at a token; None without one."""
    user_data: dict[Any, Any] = token.doc.user_data
    for key, record in user_data.items() if user_data else ():
        if _is_own(key):
            rows = np.frombuffer(record, ROW)
            at = token.idx - key[2]
            number = int(rows["at"].searchsorted(np.int32(at)))
            if number < len(rows):
                row = rows[number]
                if row["at"] == at and row["form"] == token.orth:
                    return float(row["start"])
    return None


def _is_own(key: Any) -> bool:
    return isinstance(key, tuple) and key[:2] == KEY[:2]
