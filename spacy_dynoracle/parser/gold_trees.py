"""Reads gold trees from `Example` objects."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import DEP, HEAD, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..components.skipped import SkippedTrees
from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..core.state.projectivity import (
    SEPARATOR,
    base_label,
    find_cycle,
    is_decorated,
    is_projective,
    nonprojective_arcs,
    projectivize,
)
from ..doc.alignment import WordAlignment, is_space
from ..doc.reference import UNKNOWN, PartialHeads, ReferenceArrays
from ..util.arrays import IntArray
from .reparse import roots

PartialLabels = list[str | None]


@dataclass(frozen=True, eq=False)
class AnnotatedTree:
    """A gold tree over some tokens of a document.

    Attributes:
        words: Indices of the tokens.
        heads: 1..n, 0 for ROOT, None for unknown.
        labels: None for unknown.
        derivable: Whether a system can derive the tree as it is, without lifting arcs.
        problem: Why it cannot be used, as a cycle; None if it is sound.
    """

    words: np.ndarray
    heads: PartialHeads
    labels: PartialLabels
    derivable: bool
    problem: str | None = None

    def without_crossing(self) -> AnnotatedTree:
        """The tree with unknown heads and labels in every sentence (the words below one
        root, or below one word without a known head) that has crossing arcs.
        """
        tops = self._tops()
        crossing = np.array(nonprojective_arcs(self.heads), dtype=np.int64) - 1
        forgotten = np.isin(tops, tops[crossing]).tolist()
        if not is_projective(self._without(forgotten, self.heads)):
            # The sentences overlap.
            forgotten = [True] * len(tops)
        return replace(
            self,
            heads=self._without(forgotten, self.heads),
            labels=self._without(forgotten, self.labels),
            derivable=True,
        )

    def lifted(self, records: Container[str] = ()) -> AnnotatedTree:
        """The tree with arcs lifted until it is projective.

        Args:
            records: The labels that may record a lift. Others stay as they are.
        """
        tree = self.projectivized()
        labels = [x and (x if x in records else base_label(x)) for x in tree.labels]
        return replace(tree, labels=labels)

    def projectivized(self) -> AnnotatedTree:
        """The lifted tree, with labels that record the lifts."""
        heads, labels = projectivize(self.heads, self.labels)
        return replace(self, heads=heads, labels=labels, derivable=True)

    @staticmethod
    def _without(forgotten: list[bool], values: list[Any]) -> list[Any]:
        return [
            None if gone else value
            for gone, value in zip(forgotten, values, strict=True)
        ]

    def _tops(self) -> IntArray:
        """For each word (from 0) the root, or the word without known head, that it is
        below.
        """
        return roots(np.array([head or 0 for head in self.heads], dtype=np.int32))

    @property
    def longest_sentence(self) -> int:
        """The largest number of words below one root, or below one word without a known
        head, that word included.
        """
        return int(np.bincount(self._tops()).max(initial=0))

    @property
    def n_known(self) -> int:
        """The number of words with a known head."""
        return sum(head is not None for head in self.heads)


@dataclass(frozen=True)
class GoldReader:
    """Reads gold trees from examples, also unusable ones, which say their problem.

    Attributes:
        sentences: "preset" gives one tree per sentence of the reference, anything else
            one tree per document.
        projective: Whether only projective trees can be derived.
        backward: Whether the words of a tree are in the order from the last one to the
            first one.
        max_words: A document of more words is cut where sentences are known to start,
            into trees of at most so many words; a tree has more words only if no
            sentence is known to start in it. Heads on the other side of a cut, where
            sentences overlap, become unknown. None if documents are not cut.
    """

    sentences: str
    projective: bool
    backward: bool = False
    max_words: int | None = None

    def reference_trees(self, reference: Doc) -> Iterator[AnnotatedTree]:
        """The gold trees of a reference document, over its own tokens."""
        arrays = ReferenceArrays(reference)
        labels = _names(reference, arrays.labels)
        yield from self._cut(arrays.heads, labels, arrays.starts(), arrays.is_space)

    def aligned_trees(self, example: Example) -> Iterator[AnnotatedTree]:
        """The gold trees of an example over the tokens of the predicted document.

        A word that is one word of the reference, or a part of one, has its label, and
        its head if that is one word too. All other heads are unknown; and no sentence
        starts at a word in which another one ends.
        """
        predicted = example.predicted
        arrays = ReferenceArrays(example.reference)
        alignment = WordAlignment(example)
        gold_labels = _names(example.reference, arrays.labels)
        heads = np.full(len(predicted), UNKNOWN, dtype=np.int64)
        labels: PartialLabels = [None] * len(predicted)
        for token in range(len(predicted)):
            gold = alignment.gold(token)
            if gold is None:
                continue
            labels[token] = gold_labels[gold]
            if arrays.heads[gold] != UNKNOWN:
                head = alignment.predicted(arrays.heads[gold])
                heads[token] = UNKNOWN if head is None else head
        starts = np.zeros(len(predicted), dtype=bool)
        for gold in np.flatnonzero(arrays.starts()).tolist():
            first = alignment.to_predicted[gold][0]
            starts[first] = alignment.to_gold[first][0] == gold
        yield from self._cut(heads, labels, starts, is_space(predicted))

    def _cut(
        self,
        heads: np.ndarray,
        labels: PartialLabels,
        starts: np.ndarray,
        is_space: np.ndarray,
    ) -> Iterator[AnnotatedTree]:
        words = np.flatnonzero(~is_space)
        cuts = np.flatnonzero(starts[words])
        if self.sentences != "preset":
            cuts = cuts_of_pieces(cuts, len(words), self.max_words or len(words))
        for piece in np.split(words, cuts[cuts > 0]):
            if not len(piece):
                continue
            if self.backward:
                piece = piece[::-1]
            number = {int(token): i for i, token in enumerate(piece, 1)}
            piece_heads: PartialHeads = []
            for token in piece.tolist():
                head = int(heads[token])
                piece_heads.append(0 if head == token else number.get(head))
            piece_labels = [labels[token] for token in piece.tolist()]
            problem = None
            if find_cycle(piece_heads):
                problem = "its heads form a cycle"
            elif any(label and is_decorated(label) for label in set(piece_labels)):
                problem = f"a label contains {SEPARATOR!r}, which records lifted arcs"
            derivable = problem is None and (
                not self.projective or is_projective(piece_heads)
            )
            yield AnnotatedTree(piece, piece_heads, piece_labels, derivable, problem)


def cuts_of_pieces(starts: np.ndarray, n_words: int, max_words: int) -> np.ndarray:
    """Where to cut a document into pieces of whole sentences: the first words of the
    pieces after the first one.

    Args:
        starts: The first words of the sentences.
        max_words: Of a piece; longer sentences are pieces of their own.
    """
    cuts = [0]
    if n_words > max_words:
        for start, end in pairwise([*starts.tolist(), n_words]):
            if end - cuts[-1] > max_words and start > cuts[-1]:
                cuts.append(start)
    return np.array(cuts[1:], dtype=np.int64)


def _names(doc: Doc, labels: np.ndarray) -> PartialLabels:
    """Labels from their ids."""
    strings = doc.vocab.strings
    names = {label: strings[label] or None for label in np.unique(labels).tolist()}
    return [names[label] for label in labels.tolist()]


class TrainingTree:
    """A gold tree as training uses it.

    Args:
        problem: Why the tree cannot be learned from; None if it can.

    Attributes:
        words: Indices of its tokens in the document.
        heads, labels: As in `AnnotatedTree`, projective if the system needs that.
        text: The beginning of the document of a tree with a problem.
        gold: The same tree for the core; None until its labels are numbered.
    """

    __slots__ = ("gold", "heads", "labels", "problem", "text", "words")

    def __init__(self, tree: AnnotatedTree, problem: str | None, doc: Doc) -> None:
        self.words = tree.words
        self.heads = tree.heads
        self.labels = tree.labels
        self.problem = problem
        # Not the Doc itself, which must not be kept alive by its trees.
        self.text = "" if problem is None else doc.text[:60]
        self.gold: GoldTree | None = None

    def for_core(self, model_labels: Labels) -> GoldTree:
        """The tree with numbered labels.

        Args:
            model_labels: Gives each label its number.
        """
        if self.gold is None:
            self.gold = GoldTree(self.heads, self.labels, model_labels)
        return self.gold


def usable(trees: Iterable[TrainingTree], skipped: SkippedTrees) -> list[TrainingTree]:
    """The trees that training can use. `skipped` counts the others."""
    found = []
    for tree in trees:
        if tree.problem is None:
            found.append(tree)
        else:
            skipped.add(tree.problem, tree.text)
    return found


# What trees are made of, which somebody may correct.
_READ = [ORTH, HEAD, DEP, SENT_START]


class TrainingTrees:
    """Reads the training trees of examples.

    The trees of a reference document are made once and kept until it changes, as long
    as prediction and reference have the same tokens.

    Args:
        reader: Reads the gold trees.
        prepare: Makes the training tree of a gold tree of a document; None for a tree
            that has nothing to learn from.
    """

    def __init__(
        self,
        reader: GoldReader,
        prepare: Callable[[AnnotatedTree, Doc], TrainingTree | None],
    ) -> None:
        self.reader = reader
        self.prepare = prepare
        # For each reference what was read of it, and its trees.
        self._known: WeakKeyDictionary[Doc, tuple[np.ndarray, list[TrainingTree]]] = (
            WeakKeyDictionary()
        )

    def of_reference(self, reference: Doc) -> list[TrainingTree]:
        """The trees of a reference document over its own tokens."""
        read = reference.to_array(_READ)
        known = self._known.get(reference)
        if known is None or not np.array_equal(known[0], read):
            trees = self._prepared(self.reader.reference_trees(reference), reference)
            known = self._known[reference] = (read, trees)
        return known[1]

    def of_example(self, example: Example, orth: np.ndarray) -> list[TrainingTree]:
        """The trees of an example over the tokens of the predicted document.

        Args:
            orth: Ids of the forms of the predicted document.
        """
        if np.array_equal(orth, example.reference.to_array(ORTH)):
            return self.of_reference(example.reference)
        return self._prepared(self.reader.aligned_trees(example), example.predicted)

    def _prepared(self, trees: Iterable[AnnotatedTree], doc: Doc) -> list[TrainingTree]:
        found = (self.prepare(tree, doc) for tree in trees)
        return [tree for tree in found if tree is not None]
