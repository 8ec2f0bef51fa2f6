"""From `Example` objects to gold trees.

The gold trees of a reference document are made once and kept as long as it lives, as
long as prediction and reference have the same tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import ORTH
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
from ..doc.reference import UNKNOWN, ReferenceArrays

Heads = list[int | None]
LabelNames = list[str | None]


@dataclass
class Tree:
    """A gold tree over some tokens of a document.

    words: indices of the tokens. heads: 1..n, 0 for ROOT, None for unknown. labels:
    None for unknown. derivable: whether a system
    can derive it as it is, without lifting arcs.
    """

    words: np.ndarray
    heads: Heads
    labels: LabelNames
    derivable: bool

    def forget_crossing(self) -> None:
        """Make heads and labels unknown in every sentence (the words below one root, or
        below one word without a known head) that has crossing arcs."""
        tops = [self._top(word) for word in range(1, len(self.heads) + 1)]
        bad = {tops[word - 1] for word in nonprojective_arcs(self.heads)}
        forgotten = [top in bad for top in tops]
        heads = self._without(forgotten, self.heads)
        if not is_projective(heads):
            # Sentences that run into one another.
            forgotten = [True] * len(tops)
        self.heads = self._without(forgotten, self.heads)
        self.labels = self._without(forgotten, self.labels)
        self.derivable = True

    def lift(self) -> None:
        """Lift arcs until the tree is projective. Labels stay as they are."""
        self.heads, labels = projectivize(self.heads, self.labels)
        self.labels = [label and base_label(label) for label in labels]
        self.derivable = True

    @staticmethod
    def _without(forgotten: list[bool], values: list[Any]) -> list[Any]:
        return [
            None if gone else value
            for gone, value in zip(forgotten, values, strict=True)
        ]

    def _top(self, word: int) -> int:
        while head := self.heads[word - 1]:
            word = head
        return word

    @property
    def n_known(self) -> int:
        """The number of words with a known head."""
        return sum(head is not None for head in self.heads)


class GoldReader:
    """Reads gold trees off examples.

    sentences: "preset" gives one tree per sentence of the reference, anything else one
        tree per document. projective: whether only projective trees can be derived.
        Unusable trees are reported to `on_problem` and left out.
    """

    def __init__(
        self,
        sentences: str,
        projective: bool,
        on_problem: Callable[[str, Doc], None],
    ) -> None:
        self.sentences = sentences
        self.projective = projective
        self.on_problem = on_problem

    def reference_trees(self, reference: Doc) -> Iterator[Tree]:
        """The gold trees of a reference document, over its own tokens."""
        arrays = ReferenceArrays(reference)
        labels = _names(reference, arrays.labels)
        yield from self._cut(
            reference, arrays.heads, labels, arrays.starts(), arrays.is_space
        )

    def aligned_trees(self, example: Example) -> Iterator[Tree]:
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
        labels: LabelNames = [None] * len(predicted)
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
        yield from self._cut(predicted, heads, labels, starts, is_space(predicted))

    def _cut(
        self,
        doc: Doc,
        heads: np.ndarray,
        labels: LabelNames,
        starts: np.ndarray,
        is_space: np.ndarray,
    ) -> Iterator[Tree]:
        words = np.flatnonzero(~is_space)
        if self.sentences == "preset":
            cuts = np.flatnonzero(starts[words])
            pieces = np.split(words, cuts[cuts > 0])
        else:
            pieces = [words]
        for piece in pieces:
            if not len(piece):
                continue
            number = {int(token): i for i, token in enumerate(piece, 1)}
            piece_heads: Heads = []
            for token in piece.tolist():
                head = int(heads[token])
                piece_heads.append(0 if head == token else number.get(head))
            cycle = find_cycle(piece_heads)
            if cycle:
                self.on_problem("its heads form a cycle", doc)
                continue
            piece_labels = [labels[token] for token in piece.tolist()]
            if any(label and is_decorated(label) for label in set(piece_labels)):
                self.on_problem(
                    f"a label contains {SEPARATOR!r}, which records lifted arcs", doc
                )
                continue
            derivable = not self.projective or is_projective(piece_heads)
            yield Tree(piece, piece_heads, piece_labels, derivable)


def _names(doc: Doc, labels: np.ndarray) -> LabelNames:
    """Labels from their ids."""
    strings = doc.vocab.strings
    names = {label: strings[label] or None for label in np.unique(labels).tolist()}
    return [names[label] for label in labels.tolist()]


# For each tree the indices of its words in the document.
GoldTrees = list[tuple[np.ndarray, GoldTree]]


@dataclass
class _Entry:
    """orth: ids of the forms in the reference. n_skipped: trees that are not among
    those to train on."""

    orth: np.ndarray
    trees: GoldTrees
    n_skipped: int


class GoldCache:
    """Gold trees ready for training, kept for each reference document.

    reader: makes the trees. inventory: gives labels their ids. accept: decides whether
    a tree is trained on, given the tree and its document. skipped: what reader and
    accept tell of trees that cannot be.
    """

    def __init__(
        self,
        reader: GoldReader,
        inventory: Labels,
        accept: Callable[[Tree, Doc], bool],
        skipped: SkippedTrees,
    ) -> None:
        self.reader = reader
        self.inventory = inventory
        self.accept = accept
        self.skipped = skipped
        self._entries: WeakKeyDictionary[Doc, _Entry] = WeakKeyDictionary()

    def get(self, example: Example, orth: np.ndarray) -> GoldTrees:
        """The gold trees of an example to train on.

        orth: ids of the word forms of the predicted document.
        """
        reference = example.reference
        entry = self._entries.get(reference)
        if entry is not None and np.array_equal(orth, entry.orth):
            self.skipped.again(entry.n_skipped)
            return entry.trees
        forms = reference.to_array(ORTH)
        if not np.array_equal(orth, forms):
            return self._build(self.reader.aligned_trees(example), example.predicted)
        before = self.skipped.n
        trees = self._build(self.reader.reference_trees(reference), reference)
        self._entries[reference] = _Entry(forms, trees, self.skipped.n - before)
        return trees

    def _build(self, trees: Iterator[Tree], doc: Doc) -> GoldTrees:
        built = []
        for tree in trees:
            if self.accept(tree, doc):
                heads, labels = projective_version(tree)
                built.append((tree.words, GoldTree(heads, labels, self.inventory)))
        return built


def projective_version(tree: Tree) -> tuple[Heads, LabelNames]:
    """Heads and labels of the tree, lifted and decorated if it cannot be derived."""
    if tree.derivable:
        return tree.heads, tree.labels
    heads, labels = projectivize(tree.heads, tree.labels)
    return heads, labels
