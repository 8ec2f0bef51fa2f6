"""Segments: the words of a document that are parsed together.

Whitespace tokens belong to no segment. Every segment is parsed on its own and may be
bound to have one root.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..util.arrays import BoolArray, IntArray
from .token_arrays import TokenArrays


@dataclass(frozen=True)
class Segment:
    """Words that are parsed together.

    words: the indices of the tokens in the Doc, ascending; None for all tokens.
    one_root: whether they must form one sentence.
    inner: for each word whether a sentence may not start there (a preset False); None
        where nothing is preset.
    """

    words: IntArray | None
    one_root: bool
    inner: BoolArray | None = None


# Most documents are parsed like this.
ALL_TOKENS = Segment(None, False)


def segments(tokens: TokenArrays, sentences: str) -> list[Segment]:
    """The segments of a document under a setting of `sentences`.

    "predict": cut where a sentence is preset to start. "preset": the sentences of the
    Doc, one root each. "doc": the whole document, one root.

    What is cut is parsed as if the rest did not exist, so no arc can cross the place,
    and a sentence starts there whatever the model says.
    """
    words = tokens.words
    if len(tokens) == 0 or (words is not None and len(words) == 0):
        return []
    if sentences == "doc":
        return [Segment(words, True)]
    # A sentence starts at the first word in any case.
    if sentences == "predict" and not tokens.has_starts:
        return [ALL_TOKENS if words is None else Segment(words, False)]
    if words is None:
        words = np.arange(len(tokens))
    starts = _starts_of_words(tokens.sent_starts, words)
    if sentences == "predict" and not starts[1:].any():
        return [Segment(words, False)]
    cuts = np.flatnonzero(starts == 1)
    found = []
    for first, last in pairwise([0, *cuts[cuts > 0].tolist(), len(words)]):
        inner = starts[first:last] == -1
        one_root = sentences == "preset" or bool(inner[1:].all())
        found.append(Segment(words[first:last], one_root, inner))
    return found


def _starts_of_words(given: IntArray, words: IntArray) -> IntArray:
    """Sentence starts for words only: a start on blanks moves to the next word."""
    starts: IntArray = given[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(given == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts
