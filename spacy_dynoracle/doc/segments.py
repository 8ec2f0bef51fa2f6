"""Segments: the words of a document that are parsed together.

Whitespace tokens belong to no segment. Every segment is parsed on its own. A segment
may have to have one root.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..core.state.sentence import Sentence
from ..util.arrays import BoolArray, IntArray
from .attribute_table import AttributeTable
from .preset_arcs import SegmentArcs


@dataclass(eq=False, slots=True)
class Segment:
    """Words of one document that are parsed together.

    Attributes:
        doc: Index of the document in its batch.
        words: Indices of the words among the tokens of the batch, ascending.
        single_root: Whether the words must form one sentence.
        inner: For each word but the first whether a preset False forbids a sentence
            start there; None if none does.
        sentence: The words as the core reads them.
        arcs: The arcs that the tree must have; None if no arc is preset.
    """

    doc: int
    words: IntArray
    single_root: bool
    inner: BoolArray | None
    sentence: Sentence
    arcs: SegmentArcs | None = None

    def __len__(self) -> int:
        """The number of words."""
        return len(self.words)


def segments(tokens: AttributeTable, sentences: str) -> list[Segment]:
    """Cut the documents of a batch into segments, in their order.

    A segment is parsed as if the other segments did not exist. So no arc leaves it, and
    a sentence always starts at its first word.

    Args:
        sentences: The setting of the parser. "predict" cuts before each preset sentence
            start. With "preset", every sentence of a Doc is a segment with one root.
            With "doc", every Doc is a segment with one root.
    """
    if sentences == "preset" or (sentences == "predict" and tokens.any_start):
        return _sentences(tokens, single_root=sentences == "preset")
    return _documents(tokens, single_root=sentences == "doc")


def _documents(tokens: AttributeTable, *, single_root: bool) -> list[Segment]:
    """Every document that has words as a segment."""
    words, bounds = tokens.words, tokens.word_bounds
    found = zip(pairwise(bounds), tokens.sentences_of_words(bounds), strict=True)
    return [
        Segment(doc, words[first:last], single_root, None, sentence)
        for doc, ((first, last), sentence) in enumerate(found)
        if first < last
    ]


def _sentences(tokens: AttributeTable, *, single_root: bool) -> list[Segment]:
    """Documents that are cut before each sentence start.

    Args:
        single_root: Whether every segment has one root. Otherwise a segment has one if
            its document has presets, and if these let no sentence start at any of its
            words but the first.
    """
    words, doc_bounds = tokens.words, np.array(tokens.word_bounds)
    starts = _starts_of_words(tokens)
    first_words = doc_bounds[doc_bounds < len(words)]
    is_first = starts == 1
    is_first[first_words] = True
    firsts = np.flatnonzero(is_first)
    docs = np.searchsorted(doc_bounds, firsts, side="right") - 1
    is_known = starts != 0
    is_known[first_words] = False
    n_known = np.diff(np.append(0, np.cumsum(is_known))[doc_bounds])[docs]
    bounds = [*firsts.tolist(), len(words)]
    inner = (starts == -1) & ~is_first
    n_inner = np.diff(np.append(0, np.cumsum(inner))[bounds])
    found = tokens.sentences_of_words(bounds)
    return [
        Segment(
            doc,
            words[first:last],
            single_root or (known > 0 and n == last - first - 1),
            inner[first:last] if n else None,
            sentence,
        )
        for doc, (first, last), n, known, sentence in zip(
            docs.tolist(),
            pairwise(bounds),
            n_inner.tolist(),
            n_known.tolist(),
            found,
            strict=True,
        )
    ]


def _starts_of_words(tokens: AttributeTable) -> IntArray:
    """For each word what is known of a sentence start, as `AttributeTable.starts` has
    it. A start at a whitespace token moves to the next word.
    """
    words = tokens.words
    starts: IntArray = tokens.starts[words]
    # Where the next word is in another document, it is the first one there, at which a
    # sentence starts in any case.
    moved = np.flatnonzero(tokens.is_space & (tokens.starts == 1))
    following = np.searchsorted(words, moved)
    starts[following[following < len(words)]] = 1
    return starts
