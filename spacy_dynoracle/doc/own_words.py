"""Sentences of a treebank with words of their own, which the tokenizer does not find.

The tokenizer of a language cuts some words otherwise than a treebank does. In training
data of `spacy train`, predicted documents have the words of the tokenizer, so that the
tags and arcs of other words cannot be learnt from them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import DEP, HEAD, MORPH, NORM, ORTH, POS, SENT_START, TAG
from spacy.tokens import Doc, Span, Token
from spacy.training import Example

from .alignment import WordAlignment, same_tokens
from .preset_boundaries import MULTIWORD
from .surroundings import ASSIGNED

# What an example has of its reference.
_READ = [ORTH, NORM, HEAD, DEP, SENT_START, TAG, POS, MORPH]


class OwnWords:
    """Makes examples of the sentences whose words the predicted documents do not have.

    Each example is made once and kept until its reference changes.
    """

    def __init__(self) -> None:
        # For each reference the forms of its predicted document, what was read of the
        # reference, and the example.
        self._known: WeakKeyDictionary[
            Doc, tuple[np.ndarray, np.ndarray, Example | None]
        ] = WeakKeyDictionary()

    def of(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Yield an example for each one in which sentences have other words.

        Its documents have the words of these sentences in the reference and no other
        sentences, or all of them if arcs lead from one to another. There is none for a
        predicted document that has another text or tags, because somebody has chosen
        its words.
        """
        for example in examples:
            if same_tokens(example) or not _is_of_tokenizer(example):
                continue
            now = example.predicted.to_array(ORTH), example.reference.to_array(_READ)
            known = self._known.get(example.reference)
            if known is None or not all(map(np.array_equal, known[:2], now)):
                known = self._known[example.reference] = *now, _own_words(example)
            if known[2] is not None:
                yield known[2]


def _is_of_tokenizer(example: Example) -> bool:
    """Whether a tokenizer has found the words of the predicted document, and nobody has
    chosen them.
    """
    predicted = example.predicted
    return predicted.text == example.reference.text and not any(
        map(predicted.has_annotation, ASSIGNED)
    )


def _own_words(example: Example) -> Example | None:
    reference = example.reference
    alignment = WordAlignment(example)
    sentences = [
        sentence
        for sentence in _sentences(reference)
        if any(not _is_found(alignment, word) for word in sentence)
    ]
    found = Doc.from_docs([sentence.as_doc() for sentence in sentences])
    if found is None:
        return None
    words = without_annotation(found)
    places = {word.i: i for i, word in enumerate(chain.from_iterable(sentences))}
    spans = reference.spans.get(MULTIWORD, ())
    inside = [s for s in spans if {s.start, s.end - 1} <= places.keys()]
    if inside:
        for doc in (words, found):
            doc.spans[MULTIWORD] = [
                Span(doc, places[s.start], places[s.end - 1] + 1, s.label)
                for s in inside
            ]
    return Example(words, found)


def without_annotation(doc: Doc, starts: Sequence[bool | None] | None = None) -> Doc:
    """A copy of a document with its words and nothing else but sentence starts.

    Words of multiword tokens have their forms in NORM.

    Args:
        starts: For each token whether a sentence starts there; None for nothing known.
    """
    copy = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=None if starts is None else list(starts),
    )
    norms: Any = doc.to_array([NORM])
    copy.from_array([NORM], norms)
    return copy


def _sentences(doc: Doc) -> Iterable[Span]:
    if not doc.has_annotation("SENT_START"):
        return [doc[:]]
    found = list(doc.sents)
    # spaCy makes roots with the label "dep" of words whose head is cut off.
    if any(not s.start <= t.head.i < s.end for s in found for t in s):
        return [doc[:]]
    return found


def _is_found(alignment: WordAlignment, word: Token) -> bool:
    """Whether the predicted document has a word of the reference, or need not."""
    token = alignment.predicted(word.i)
    return word.is_space or (token is not None and alignment.gold(token) == word.i)
