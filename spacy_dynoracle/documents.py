"""From `Doc` objects to the parser's input, and back.

Whitespace tokens never reach the parser. A document is cut into *segments*, each of
which is parsed on its own and may be bound to have one root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .core.sentence import Sentence

# The label of whitespace tokens, and of arcs that an untrained model cannot label.
NO_LABEL = "dep"
ROOT_LABEL = "ROOT"

IntArray = np.ndarray


@dataclass
class Segment:
    """Words that are parsed together.

    words: the indices of the tokens in the Doc, ascending, without whitespace.
    one_root: whether they must form one sentence.
    inner: for each word whether a sentence may not start there (a preset False).
    """

    words: IntArray
    one_root: bool
    inner: np.ndarray


class TokenArrays:
    """The attributes of a Doc that the parser reads.

    doc: the document. attributes: names of spaCy token attributes, such as "ORTH".

    values: uint64 of shape (n tokens, n attributes). is_space: bool for each token.
    sent_starts: 1 start, -1 no start, 0 unknown, for each token. orth: ids of the forms.
    """

    def __init__(self, doc: Doc, attributes: list[str]) -> None:
        names = [*attributes, ORTH, SENT_START, IS_SPACE]
        table = doc.to_array(names)
        self.n_attributes = len(attributes)
        self.values = table[:, : self.n_attributes]
        self.orth = table[:, -3]
        self.sent_starts = table[:, -2].view(np.int64)
        self.is_space = table[:, -1] != 0

    def sentence(self, words: IntArray) -> Sentence:
        """The parser's input for some of the tokens."""
        if len(words) == len(self.values):
            return Sentence(self.values)
        return Sentence(self.values[words])


def segments(doc: Doc, tokens: TokenArrays, sentences: str) -> Iterator[Segment]:
    """The segments of a document under a setting of `sentences`.

    "predict": cut where a sentence is preset to start, unless the boundaries come from
    an earlier parse. "preset": the sentences of the Doc, one root each. "doc": the whole
    document, one root.
    """
    words = np.flatnonzero(~tokens.is_space)
    if not len(words):
        return
    starts = tokens.sent_starts[words]
    if sentences == "doc":
        yield Segment(words, True, np.zeros(len(words), dtype=bool))
        return
    if sentences == "predict" and not starts.any():
        yield Segment(words, False, np.zeros(len(words), dtype=bool))
        return
    if sentences == "predict" and doc.has_annotation("DEP"):
        starts = np.zeros_like(starts)
    elif len(words) < len(tokens.values):
        starts = _starts_of_words(tokens, words)
    cuts = np.flatnonzero(starts == 1)
    bounds = [0, *cuts[cuts > 0].tolist(), len(words)]
    for first, last in zip(bounds, bounds[1:], strict=False):
        inner = starts[first:last] == -1
        one_root = sentences == "preset" or bool(inner[1:].all())
        yield Segment(words[first:last], one_root, inner)


def _starts_of_words(tokens: TokenArrays, words: IntArray) -> IntArray:
    """Sentence starts for words only: a start on blanks moves to the next word."""
    starts = tokens.sent_starts[words].copy()
    next_word = np.searchsorted(words, np.flatnonzero(tokens.sent_starts == 1))
    starts[next_word[next_word < len(words)]] = 1
    return starts


class Annotations:
    """Heads and labels of the tokens of one Doc, to be written to it.

    heads: index of the head token for each token, its own for roots. labels: 64-bit
    ids of the labels.
    """

    def __init__(self, n_tokens: int) -> None:
        self.heads = np.arange(n_tokens, dtype=np.int64)
        self.labels = np.full(n_tokens, get_string_id(NO_LABEL), dtype=np.uint64)

    def add(self, words: IntArray, heads: IntArray, labels: IntArray) -> None:
        """Take over the tree of a segment.

        heads: 1..n for a word of the segment, 0 for ROOT. labels: 64-bit ids.
        """
        positions = np.arange(len(words))
        self.heads[words] = words[np.where(heads > 0, heads - 1, positions)]
        self.labels[words] = labels

    def attach_spaces(self, is_space: np.ndarray) -> None:
        """Attach whitespace to the word before it, leading whitespace to the word after
        it; in a document of blanks the first is the root."""
        if not is_space.any():
            return
        spaces = np.flatnonzero(is_space)
        words = np.flatnonzero(~is_space)
        if len(words):
            before = np.searchsorted(words, spaces) - 1
            self.heads[spaces] = words[np.maximum(before, 0)]
        else:
            self.heads[:] = 0
            self.labels[0] = get_string_id(ROOT_LABEL)

    def write(self, doc: Doc) -> None:
        """Set head, dep and sentence boundaries of every token of the Doc."""
        n_tokens = len(doc)
        if n_tokens:
            table = np.empty((n_tokens, 2), dtype=np.uint64)
            table[:, 0] = (self.heads - np.arange(n_tokens)).view(np.uint64)
            table[:, 1] = self.labels
            doc.from_array([HEAD, DEP], table)
