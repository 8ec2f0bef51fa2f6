"""What whole-tree features have to know of words beside their forms and tags."""

from __future__ import annotations

from typing import NamedTuple


class WordClasses(NamedTuple):
    """The codes of some tags and forms, as they are in the columns of a sentence.

    prepositions, punctuation, conjunctions: of tags. pairs: of the forms of quotation
    marks and brackets, as pairs of what opens and what closes.
    """

    prepositions: tuple[int, ...] = ()
    punctuation: tuple[int, ...] = ()
    conjunctions: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
