"""Segments: the words of a document that are parsed together.

Whitespace tokens belong to no segment. Every segment is parsed on its own and may be
bound to have one root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from ..core.state.sentence import Sentence
from ..util.arrays import BoolArray, IntArray
from .attribute_table import AttributeTable
from .preset_arcs import SegmentArcs


@dataclass(eq=False, slots=True)
class Segment:
    """Words of one document that are parsed together.

    doc: the number of the document in its batch. words: the numbers of the words among
    the tokens of the batch, ascending. one_root: whether they must form one sentence.
    inner: for each word whether a sentence may not start there (a preset False); None
    where nothing is preset. sentence: the words as the core reads them. arcs: the arcs
    that the tree must have; None if there are none.
    """

    doc: int
    words: IntArray
    one_root: bool
    inner: BoolArray | None
    sentence: Sentence
    arcs: SegmentArcs | None = None

    def __len__(self) -> int:
        """The number of words."""
        return len(self.words)


# A segment before it is read: document, words, whether it has one root, inner.
Cut = tuple[int, IntArray, bool, BoolArray | None]


def segments(tokens: AttributeTable, sentences: str) -> list[Segment]:
    """The segments of some documents under a setting of `sentences`, in their order.

    "predict": cut where a sentence is preset to start. "preset": the sentences of the
    Doc, one root each. "doc": the whole document, one root.

    A segment is parsed as if the rest did not exist, so no arc can leave it, and a
    sentence starts at its first word whatever the model says.
    """
    cuts: list[Cut] = []
    for doc, (start, end) in enumerate(pairwise(tokens.word_bounds)):
        if start == end:
            continue
        words = tokens.words[start:end]
        # A sentence starts at the first word in any case.
        if sentences == "preset" or (sentences == "predict" and tokens.has_starts(doc)):
            cuts += _cut_at_starts(tokens, doc, words, sentences)
        else:
            cuts.append((doc, words, sentences == "doc", None))
    bounds = [0, *accumulate(len(words) for _, words, _, _ in cuts)]
    found = tokens.sentences_of_words(bounds)
    return [Segment(*cut, sentence) for cut, sentence in zip(cuts, found, strict=True)]


def _cut_at_starts(
    tokens: AttributeTable, doc: int, words: IntArray, sentences: str
) -> Iterator[Cut]:
    """The segments of a document with known sentence starts."""
    part = tokens.part(doc)
    starts = _starts_of_words(tokens.starts[part], words - part.start)
    if sentences == "predict" and not starts[1:].any():
        yield doc, words, False, None
        return
    cuts = np.flatnonzero(starts == 1)
    for first, last in pairwise([0, *cuts[cuts > 0].tolist(), len(words)]):
        inner = starts[first:last] == -1
        one_root = sentences == "preset" or bool(inner[1:].all())
        yield doc, words[first:last], one_root, inner


def _starts_of_words(given: IntArray, words: IntArray) -> IntArray:
    """Sentence starts for words only: a start on blanks moves to the next word."""
    starts: IntArray = given[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(given == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts
