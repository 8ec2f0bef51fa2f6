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
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from .core.gold import GoldTree
from .core.labels import Labels
from .core.projectivity import (
    SEPARATOR,
    find_cycle,
    is_decorated,
    is_projective,
    nonprojective_arcs,
    projectivize,
)
from .skipped import SkippedTrees

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
        n_tokens = len(reference)
        table = reference.to_array([HEAD, DEP, SENT_START, IS_SPACE])
        # Its own head with an empty label means unknown, not root.
        known = (table[:, 0] != 0) | (table[:, 1] != 0)
        heads = np.arange(n_tokens) + table[:, 0].view(np.int64)
        strings = reference.vocab.strings
        labels = {label: strings[label] for label in np.unique(table[:, 1]).tolist()}
        starts = table[:, 2].view(np.int64) == 1
        yield from self._cut(
            reference,
            np.where(known, heads, -1),
            [labels[label] or None for label in table[:, 1].tolist()],
            starts,
            table[:, 3] != 0,
        )

    def aligned_trees(self, example: Example) -> Iterator[Tree]:
        """The gold trees of an example over the tokens of the predicted document, by
        way of spaCy's alignment: heads of words that do not correspond are unknown."""
        heads, labels = example.get_aligned_parse(  # type: ignore[no-untyped-call]
            projectivize=False
        )
        starts = example.get_aligned_sent_starts()  # type: ignore[no-untyped-call]
        yield from self._cut(
            example.predicted,
            np.array(
                [
                    -1 if head is None or (head == i and not label) else head
                    for i, (head, label) in enumerate(zip(heads, labels, strict=True))
                ],
                dtype=np.int64,
            ),
            [label or None for label in labels],
            np.array([start is True or start == 1 for start in starts], dtype=bool),
            np.array([token.is_space for token in example.predicted], dtype=bool),
        )

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


def same_tokens(example: Example) -> bool:
    """Whether prediction and reference have the same tokens."""
    predicted, reference = example.predicted, example.reference
    return len(predicted) == len(reference) and np.array_equal(
        predicted.to_array([ORTH]), reference.to_array([ORTH])
    )


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
