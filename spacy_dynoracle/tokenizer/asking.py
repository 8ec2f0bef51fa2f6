"""Which stretches of a text the rules of a language have to be asked about."""

import re
import string
from collections.abc import Mapping
from typing import Any

from ..util.typography import plain

_MARKS = string.punctuation
# Apostrophes, addresses, and a unit behind a number.
_KNOWN = re.compile(r"['@]|://|www\.|\.[^\W\d_]+/|\d[^\W\d_]")


class Rules:
    """Knows where the rules of spaCy's tokenizer are needed.

    The boundaries learn from a treebank where words end beside marks. The rules alone
    know the apostrophes and units of a language, its special cases, such as
    abbreviations, emoticons and contractions with their NORM, and addresses. To ask
    them takes as long as everything else together.

    Attributes:
        always: Whether they are asked about all stretches: those of a tokenizer of
            another kind, and where somebody has changed the settings.
        special: The special cases, by their text.
    """

    def __init__(self, always: bool = True) -> None:
        self.always = always
        self.special: Mapping[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # The special cases are those of the tokenizer, which has its own copies.
        return type(self), (self.always,)

    def are_needed(self, text: str) -> bool:
        """Whether the rules are asked about a stretch of text."""
        if self.always:
            return True
        special = self.special
        if not text.isascii():
            text = plain(text)
        if text.isalpha():
            return text in special
        if _KNOWN.search(text):
            return True
        left = text.lstrip(_MARKS)
        word = left.rstrip(_MARKS)
        return (
            text in special
            or left in special
            or word in special
            or text.rstrip(_MARKS) in special
            or left[: len(word) + 1] in special
        )
