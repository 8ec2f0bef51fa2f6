"""Records of this package in `Doc.user_data`.

A component keeps one record of a document, under a key that spaCy moves with the text
in `Span.as_doc` and `Doc.from_docs`: that of an extension of the token at character 0.
A Doc has other records of the name only if it is made of other Docs, or is a part of
one, in which case the record may begin before the Doc.

A Doc may come from a damaged file, or other code may have changed its user data. A
record that is not what its reader expects counts as no record.
"""

import struct
from typing import Any

from spacy.tokens import Doc

# The errors of reading a record that is not what it should be.
DAMAGE = (
    *(ArithmeticError, AttributeError, BufferError, LookupError, TypeError, ValueError),
    struct.error,
)

Key = tuple[str, str, int, None]

# The key of `Doc.user_data` that marks a copy of a training document in another case.
CASE_COPY = "dynoracle_case_copy"
# Larger numbers of characters are impossible in a Doc.
MAX_CHARACTER = 2**31 - 1


def record_key(name: str) -> Key:
    """The key of the records with a name."""
    return ("._.", name, 0, None)


def keep_record(doc: Doc, key: Key, record: Any) -> None:
    """Keep a record in the place of earlier ones; None keeps none."""
    user_data: dict[Any, Any] = doc.user_data
    for old in [old for old in user_data if _is_own(old, key)]:
        del user_data[old]
    if record is not None:
        user_data[key] = record


def records_of(doc: Doc, key: Key) -> list[tuple[int, Any]]:
    """(the character of the Doc at which it begins, negative if that is before the Doc,
    record) for each record.
    """
    user_data: dict[Any, Any] = doc.user_data
    return [
        (old[2], record)
        for old, record in user_data.items()
        if _is_own(old, key) and _is_character(old[2])
    ]


def _is_own(found: Any, key: Key) -> bool:
    """Whether a key of user data is that of a record with the name of `key`."""
    return isinstance(found, tuple) and len(found) == 4 and found[:2] == key[:2]


def _is_character(number: Any) -> bool:
    return isinstance(number, int) and abs(number) <= MAX_CHARACTER
