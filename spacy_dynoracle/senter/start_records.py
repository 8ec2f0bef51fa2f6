"""The result of the sentence splitter beside `is_sent_start`.

- `token._.sent_start_probability`: the probability that a sentence starts at the token,
  given the starts before it; 1 or 0 where a rule or a preset value decided. None for
  whitespace, and in documents that were split without `probabilities`.

It is kept as a record in `Doc.user_data`, see `spacy_dynoracle.doc.records`. Tokens are
known by their first character, counted from where the record begins. The value of a
token is valid as long as the token has the same form. A token of a damaged record has
no value.
"""

import numpy as np
from spacy.attrs import IDX, ORTH
from spacy.tokens import Doc, Token

from ..components.extensions import register, require
from ..doc.records import DAMAGE, keep_record, record_key, records_of
from ..util.arrays import FloatArray

# A later format gets another name.
NAME = "dynoracle_starts.v1"
KEY = record_key(NAME)
# at: the first character of a word. form: the id of its form. start: the probability
# that a sentence starts there.
ROW = np.dtype([("at", "<i4"), ("form", "<u8"), ("start", "<f8")])


def keep_probabilities(doc: Doc, probabilities: FloatArray | None) -> None:
    """Keep the probabilities of starts and delete earlier records.

    Args:
        probabilities: For each token, NaN for whitespace; None if there are none.
    """
    if probabilities is None:
        keep_record(doc, KEY, None)
        return
    words = np.flatnonzero(~np.isnan(probabilities))
    table = doc.to_array([IDX, ORTH]).reshape(len(doc), 2)[words]
    rows = np.empty(len(words), dtype=ROW)
    rows["at"], rows["form"] = table[:, 0], table[:, 1]
    rows["start"] = probabilities[words]
    keep_record(doc, KEY, rows.tobytes())


def start_probability(token: Token) -> float | None:
    """The recorded probability that a sentence starts at a token; None without one."""
    for begin, record in records_of(token.doc, KEY):
        try:
            rows = np.frombuffer(record, ROW)
            at = token.idx - begin
            number = int(rows["at"].searchsorted(np.int32(at)))
        except DAMAGE:
            continue
        if number < len(rows):
            row = rows[number]
            if row["at"] == at and row["form"] == token.orth:
                start = float(row["start"])
                return start if 0 <= start <= 1 else None
    return None


EXTENSIONS = [(Token, {"sent_start_probability": start_probability})]


def register_extensions() -> None:
    """Register the extension. An extension that exists already does not change."""
    register(EXTENSIONS)


def require_extensions() -> None:
    """As `register_extensions`, for a component that has results for them."""
    require(EXTENSIONS, "senter")
