"""Segments: the words of a document that are parsed together.

Whitespace tokens belong to no segment. Every segment is parsed on its own. A segment
may have to have one root.
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

    doc: index of the document in its batch. words: indices of the words among the
    tokens of the batch, ascending. one_root: whether the words must form one sentence.
    inner: for each word whether a preset False forbids a sentence start there; None if
    nothing is preset. sentence: the words as the core reads them. arcs: the arcs that
    the tree must have; None if no arc is preset.
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


# The first four values of a segment whose words have not been read yet.
Cut = tuple[int, IntArray, bool, BoolArray | None]


def segments(tokens: AttributeTable, sentences: str) -> list[Segment]:
    """Cut the documents of a batch into segments, in their order.

    sentences: the setting of the parser. "predict" cuts before each preset sentence
    start. With "preset", every sentence of a Doc is a segment with one root. With
    "doc", every Doc is a segment with one root.

    A segment is parsed as if the other segments did not exist. So no arc leaves it, and
    a sentence always starts at its first word.
    """
    cuts: list[Cut] = []
    all_words, one_root = tokens.words, sentences == "doc"
    is_preset = sentences == "preset"
    may_be_cut = is_preset or (sentences == "predict" and tokens.any_start)
    for doc, (start, end) in enumerate(pairwise(tokens.word_bounds)):
        if start == end:
            continue
        words = all_words[start:end]
        if may_be_cut and (is_preset or tokens.has_starts(doc)):
            cuts += _cut_at_starts(tokens, doc, words, sentences)
        else:
            cuts.append((doc, words, one_root, None))
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
    """The sentence starts of the words. A start at a whitespace token moves to the next
    word."""
    starts: IntArray = given[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(given == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts
