"""The attributes of a single `Doc` as arrays."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from .attribute_table import AttributeTable


class TokenArrays(AttributeTable):
    """The attributes of one Doc that the parser reads.

    Args:
        sources: Sources of the columns of the features; see
            `spacy_dynoracle.doc.columns`.

    Raises:
        ValueError: For an unknown source.
    """

    def __init__(self, doc: Doc, sources: Sequence[str]) -> None:
        super().__init__([doc], sources)
