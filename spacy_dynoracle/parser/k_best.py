"""The best trees of a document: the results of `DynOracleParser.k_best`, `Doc._.kbest`.

Every segment of a document has its own list of trees (see
`spacy_dynoracle.parser.best_trees`). A tree of the whole Doc combines a tree of every
segment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import islice
from typing import Any, overload

import numpy as np
from spacy.tokens import Doc

from ..doc.borders import TREE, string_ids, write_tokens
from ..util.arrays import FloatArray
from .annotations import NO_LABEL, ROOT_LABEL, Annotations, attach_spaces
from .best_trees import BestTrees


@dataclass(frozen=True, eq=False)
class DocTree:
    """A tree of a whole document.

    Attributes:
        trees: The trees of all segments.
        ranks: For each segment the rank of its tree, counted from 0.
    """

    trees: KBest
    ranks: tuple[int, ...]

    @property
    def score(self) -> float:
        """The sum of the scores of the trees of the segments."""
        return math.fsum(s.scores[i] for s, i in self._chosen())

    @property
    def ranker_score(self) -> float | None:
        """The sum of the scores of the reranker; None without a reranker."""
        return self._sum([s.ranker_scores for s in self.trees])

    @property
    def mixture(self) -> float | None:
        """The sum of the mixtures of both scores; None without a reranker."""
        return self._sum([s.mixture for s in self.trees])

    @property
    def log_probability(self) -> float | None:
        """The logarithm of the probability of the tree, which is the sum over the
        segments; None without a temperature.
        """
        return self._sum([s.log_sums for s in self.trees])

    @property
    def probability(self) -> float | None:
        """A lower bound of the probability of the tree; None without a temperature."""
        p = self.log_probability
        return None if p is None else math.exp(p)

    def support(self) -> list[float | None]:
        """For each token the share of the trees of its segment that contain its arc;
        None for whitespace tokens.
        """
        found: list[float | None] = [None] * len(self.trees.doc)
        for segment, rank in self._chosen():
            shares = segment.support()[rank].tolist()
            for word, share in zip(segment.words.tolist(), shares, strict=True):
                found[word] = share
        return found

    def as_doc(self) -> Doc:
        """A copy of the document with this tree."""
        doc = self.trees.doc.copy()
        tree = combined(len(doc), list(self._chosen()))
        tree.presets = self.trees.presets
        strings: Any = doc.vocab.strings
        names = (name for segment in self.trees for name in segment.label_names)
        for label in {*names, NO_LABEL, ROOT_LABEL}:
            strings.add(label, allow_transient=False)
        write_tokens([doc], TREE, [tree.table])
        tree.keep_records(doc)
        return doc

    def _sum(self, lists: list[FloatArray | None]) -> float | None:
        """The sum of the values of the chosen trees; None if a tree has no value."""
        parts = [
            values[rank]
            for values, rank in zip(lists, self.ranks, strict=True)
            if values is not None
        ]
        return math.fsum(parts) if len(parts) == len(lists) else None

    def _chosen(self) -> Iterator[tuple[BestTrees, int]]:
        return zip(self.trees, self.ranks, strict=True)


@dataclass(frozen=True, eq=False)
class KBest(Sequence[BestTrees]):
    """The best trees of every segment of a document, in the order of the segments.

    With `sentences = "preset"` a segment is a sentence, and with "doc" it is the Doc.
    With "predict" a segment ends before the next preset sentence start, and its trees
    may have different sentences. Documents without words have no segments.

    Attributes:
        presets: Record of the preset boundaries that a parse would keep.
    """

    doc: Doc
    segments: list[BestTrees]
    presets: bytes | None = None

    @overload
    def __getitem__(self, number: int) -> BestTrees: ...
    @overload
    def __getitem__(self, number: slice) -> list[BestTrees]: ...
    def __getitem__(self, number: int | slice) -> BestTrees | list[BestTrees]:
        """The trees of a segment, or of several segments."""
        return self.segments[number]

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.segments)

    def trees(self) -> Iterator[DocTree]:
        """Yield the trees of the whole document, the best sum first.

        There is one for every combination of trees of the segments.
        """
        # Each entry has the loss of a combination against the best one, and the
        # segments that do not have their best tree, with the ranks of their trees. A
        # combination follows the one whose last such segment has the next better tree.
        heap: list[tuple[float, tuple[tuple[int, int], ...]]] = [(0.0, ())]
        while heap:
            _, moved = heappop(heap)
            ranks = [0] * len(self)
            for number, rank in moved:
                ranks[number] = rank
            yield DocTree(self, tuple(ranks))
            untouched = range(moved[-1][0] + 1 if moved else 0, len(self))
            following = [(*moved, (number, 1)) for number in untouched]
            if moved:
                number, rank = moved[-1]
                following.append((*moved[:-1], (number, rank + 1)))
            for steps in following:
                number, rank = steps[-1]
                if rank < len(self[number]):
                    heappush(heap, (self._loss(steps), steps))

    def alone(self) -> list[KBest]:
        """The trees of each segment, with a Doc that contains only this segment."""
        # Parsers load without the room of treebanks.
        from ..treebank import multiword

        found = []
        for segment in self:
            first, last = int(segment.words[0]), int(segment.words[-1])
            doc = multiword.as_doc(self.doc[first : last + 1])
            moved = replace(
                segment,
                doc=doc,
                words=segment.words - first,
                heads=segment.heads - first,
            )
            found.append(KBest(doc, [moved]))
        return found

    def docs(self, n: int) -> list[Doc]:
        """Copies of the document with its n best trees, the best first; fewer than n if
        there are fewer trees.
        """
        return [tree.as_doc() for tree in islice(self.trees(), n)]

    def _loss(self, moved: Iterable[tuple[int, int]]) -> float:
        scores = ((self[number].sorted_by, rank) for number, rank in moved)
        return math.fsum(s[0] - s[rank] for s, rank in scores)


def combined(n_tokens: int, chosen: Iterable[tuple[BestTrees, int]]) -> Annotations:
    """Combine trees of segments to the annotations of a Doc.

    Args:
        n_tokens: Number of tokens of the Doc.
        chosen: For each segment its trees and the rank of one of them. Tokens outside
            of all segments are whitespace.
    """
    table = np.zeros((n_tokens, 2), dtype=np.uint64)
    is_space = np.ones(n_tokens, dtype=bool)
    for segment, rank in chosen:
        words = segment.words
        ids = string_ids(segment.label_names)
        table[words, 0] = (segment.heads[rank] - words).view(np.uint64)
        table[words, 1] = ids[segment.label_numbers[rank]]
        is_space[words] = False
    if is_space.any():
        attach_spaces(table, is_space)
    return Annotations(table)
