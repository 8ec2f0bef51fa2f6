"""Choosing the sentences that a parser is least sure of, for annotation.

All Docs here are parsed with probabilities, which `AnyParser.ask_for` switches on.

Source: Hwa 2004 for the entropy of the trees of a sentence, divided by its length, as
a measure of how much its annotation teaches.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from spacy.tokens import Doc, Span

from spacy_dynoracle.confidence import arc_probabilities, keep_sure
from spacy_dynoracle.treebank import multiword

Words = Doc | Span
Source = TypeVar("Source")


class MissingProbabilitiesError(ValueError):
    """A sentence has no probabilities, or its arcs have changed since parsing."""


def entropy(words: Words) -> float:
    """The mean entropy of the head and label of a word, in nats: the larger, the less
    sure is the parser.

    Raises:
        MissingProbabilitiesError: If there are no probabilities.
    """
    value = words._.dep_entropy
    if value is None:
        raise MissingProbabilitiesError(
            f"no probabilities for {words.text[:60]!r}: it was parsed without them, or "
            "its heads or labels have changed since"
        )
    return value / max(n_words(words), 1)


def n_words(words: Words) -> int:
    """The number of tokens that are not whitespace."""
    return sum(not token.is_space for token in words)


@dataclass
class UncertainSentence(Generic[Source]):
    """A parsed sentence and how uncertain the parser is of it.

    Attributes:
        value: The uncertainty: the entropy per word, in nats.
        number: Place in the order of reading, from 1.
        doc: The sentence alone.
        source: What the sentence was read from, if anything.
        probabilities: Probabilities of its arcs, None for tokens without one.
    """

    value: float
    number: int
    doc: Doc
    source: Source | None
    probabilities: list[float | None]

    def __lt__(self, other: UncertainSentence[Source]) -> bool:
        """Whether this sentence is chosen after another one."""
        return (self.value, -self.number) < (other.value, -other.number)


@dataclass(frozen=True)
class RankedSentences(Generic[Source]):
    """The sentences that a parser is least sure of.

    Attributes:
        sentences: The least sure first, of equals the one that was read first.
        n_read: The number of sentences that were read.
    """

    sentences: list[UncertainSentence[Source]]
    n_read: int

    @property
    def n_words(self) -> int:
        """The number of words of the sentences."""
        return sum(n_words(each.doc) for each in self.sentences)

    def keep_sure(self, min_probability: float) -> int:
        """Make heads and labels of less probable arcs unknown in the Docs.

        Returns:
            The number of tokens whose head is unknown then.
        """
        for each in self.sentences:
            keep_sure(each.doc, each.probabilities, min_probability)
        return sum(not t.has_head() for each in self.sentences for t in each.doc)


def rank_sentences(
    docs: Iterable[tuple[Doc, Source | None]], n: int = 100
) -> RankedSentences[Source]:
    """The n sentences that a parser is least sure of.

    Memory holds n sentences.

    Args:
        docs: Parsed Docs with marginal probabilities (see `AnyParser.ask_for`), each
            with what it was read from, as `nlp.pipe(..., as_tuples=True)` yields them.
            A Doc that was read from something is one sentence; a Doc with None is cut
            into its sentences. Sentences without words do not count, and a sentence
            that occurs again is chosen once.

    Raises:
        MissingProbabilitiesError: For Docs without probabilities.
    """
    heap: list[UncertainSentence[Source]] = []
    seen: set[int] = set()
    number = 0
    for number, (words, source) in enumerate(_sentences(docs), 1):
        doc = multiword.as_doc(words) if isinstance(words, Span) else words
        # The new Doc of a sentence no longer has probabilities.
        of_arcs = arc_probabilities(words)
        found = UncertainSentence(entropy(words), number, doc, source, of_arcs)
        key = hash(tuple(found.doc.to_array("ORTH").tolist()))
        if key in seen:
            continue
        seen.add(key)
        heapq.heappush(heap, found)
        if len(heap) > n:
            heapq.heappop(heap)
    return RankedSentences(sorted(heap, reverse=True), number)


def _sentences(
    docs: Iterable[tuple[Doc, Source | None]],
) -> Iterator[tuple[Words, Source | None]]:
    """The sentences that have words."""
    for doc, source in docs:
        for words in [doc] if source is not None else doc.sents:
            if n_words(words):
                yield words, source
