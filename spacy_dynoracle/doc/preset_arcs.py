"""Preset arcs: arcs of a Doc that must still be there after parsing.

A token has a preset head if it has a label or a head other than itself; its own head
and no label is how spaCy says "unknown". So a token that is its own head and has a
label is a preset root, and a head without a label is preset with its label left open.
Heads and labels of whitespace tokens do not count.

Arcs that cannot all be in one tree are taken from left to right, by their dependents;
one that cannot be combined with those before it is dropped. Arcs whose head is
whitespace or in another preset sentence are dropped in any case.

Search is for projective trees (`search/constrained.pyx`). If trees of the parser may
have crossing arcs, preset ones are lifted for the search as in training
(`core.projectivity`), and afterwards put where they belong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc

from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..core.state.projectivity import find_cycle, is_projective, projectivize
from ..util.arrays import BoolArray, IdArray, Int32Array, IntArray
from .reference import PartialHeads

# Why arcs are dropped.
WHITESPACE = "its head is whitespace"
BOUNDARY = "it crosses a preset sentence boundary"
SECOND_ROOT = "the sentence has another preset root"
CYCLE = "it closes a cycle of preset arcs"
CROSSING = "it crosses another preset arc"
# Dropped arcs that a warning names.
MAX_NAMED = 10


@dataclass
class SegmentArcs:
    """The preset arcs of some words, which can all be in one tree.

    Attributes:
        heads: For each word its head 1..n, 0 for ROOT, None if unknown.
        labels: For each word the id of its label in the string store, 0 if unknown.
        searched: The heads that search has to keep; the same, unless arcs cross.
    """

    heads: PartialHeads
    labels: IdArray
    searched: PartialHeads

    @property
    def crossing(self) -> list[int]:
        """The words 1..n whose arcs search leaves aside."""
        pairs = enumerate(zip(self.heads, self.searched, strict=True), 1)
        return [word for word, (head, searched) in pairs if head != searched]

    def tree(self, model_labels: Labels, names: dict[int, str]) -> GoldTree:
        """The arcs that search has to keep, as a partial tree.

        Args:
            names: The labels that the model knows by their ids.
        """
        labels = [
            names.get(label) if head is not None and head == searched else None
            for head, searched, label in zip(
                self.heads, self.searched, self.labels.tolist(), strict=True
            )
        ]
        return GoldTree(self.searched, labels, model_labels)

    def cuts(
        self, start: int, end: int, heads: Int32Array, inner: BoolArray | None = None
    ) -> Iterator[int]:
        """Where to cut some words into parts with one preset root each.

        Between two preset roots, the place that no preset arc crosses and the fewest of
        the tree cross, the first of equals. There is none if both must be in one
        sentence.

        Args:
            start, end: The words, from 0, the end left out.
            heads: Of all words, in a tree that need not have the preset arcs.
            inner: For each of all words whether no sentence may start there.
        """
        block = block_of(self.heads, start, end)
        preset = arcs_across(block)
        others = arcs_across(block_of(heads.tolist(), start, end))
        roots = [word for word, head in enumerate(block) if head == 0]
        for left, right in pairwise(roots):
            places = np.arange(left, right)
            places = places[preset[places] == 0]
            if inner is not None:
                places = places[~inner[start + places + 1]]
            if len(places):
                yield start + int(places[np.argmin(others[places])]) + 1

    def put_crossing_back(self, heads: Int32Array, labels: Int32Array) -> None:
        """Change a tree, in place, so that it has the crossing arcs too.

        If the head of a word stands below it, the arc upward that is nearest to the
        head and not preset is moved to what has been the head of the word. There is
        one, as preset arcs form no cycle.

        Args:
            heads: Words 1..n or 0, of a tree with the searched arcs.
            labels: Their numbers, -1 for none; what a word was labelled as a root, or
                as no root, is forgotten when it is that no longer.
        """
        was_root = heads == 0
        for word in self.crossing:
            head, old = self.heads[word - 1], int(heads[word - 1])
            if head is None or head == old:
                continue
            path = [head]
            while path[-1] not in (word, 0):
                path.append(int(heads[path[-1] - 1]))
            if path.pop() == word:
                loose = next(k for k in path if self.heads[k - 1] != heads[k - 1])
                heads[loose - 1] = old
            heads[word - 1] = head
        labels[was_root != (heads == 0)] = -1


@dataclass
class PresetArcs:
    """The preset arcs of a document.

    Attributes:
        heads: For each token the index of its head, its own for roots, -1 if unknown.
        labels: For each token the id of its label, 0 if unknown.
        dropped: Why the arc of a token was dropped.
    """

    heads: IntArray
    labels: IdArray
    is_space: BoolArray
    dropped: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, doc: Doc, is_space: BoolArray) -> PresetArcs | None:
        """The preset arcs of a document; None if it has none."""
        table: np.ndarray = doc.to_array([HEAD, DEP])
        is_known = (table[:, 0] != 0) | (table[:, 1] != 0)
        if not (is_known & ~is_space).any():
            return None
        heads = np.arange(len(table)) + table[:, 0].view(np.int64)
        labels: IdArray = table[:, 1].astype(np.uint64)
        return cls(np.where(is_known, heads, -1), labels, is_space)

    def sentence_starts(self, starts: IntArray, sentences: str) -> IntArray:
        """The sentence starts that are preset, in a document with preset arcs.

        Wherever spaCy sets heads it writes that a sentence starts at the leftmost
        token below every root, as far as there are heads by then, and nowhere else. So
        no start means nothing, and a start means nothing at a token with a preset arc.
        Under "preset", where sentences must come from the Doc, it counts there too if a
        preset root stands before it in the sentence.

        Args:
            starts: For each token 1 start, -1 no start, 0 unknown, as the Doc has them.
        """
        found: IntArray = np.where(starts == 1, 1, 0)
        if sentences != "preset":
            found[self.heads >= 0] = 0
            return found
        is_root = self.heads == np.arange(len(self.heads))
        first = 0
        for start in np.flatnonzero(found).tolist():
            if self.heads[start] >= 0 and not is_root[first:start].any():
                found[start] = 0
            else:
                first = start
        return found

    def among(
        self, words: IntArray, *, single_root: bool, may_cross: bool
    ) -> SegmentArcs | None:
        """The arcs among some tokens; None if there are none.

        Args:
            single_root: Whether the tokens must form one sentence.
            may_cross: Whether trees may have crossing arcs.
        """
        heads = self._numbered(words)
        for number, reason in drop_incompatible(heads, single_root, may_cross):
            self.dropped.setdefault(int(words[number - 1]), reason)
        if all(head is None for head in heads):
            return None
        is_known = np.array([head is not None for head in heads])
        labels = np.where(is_known, self.labels[words], 0).astype(np.uint64)
        return SegmentArcs(heads, labels, searchable(heads))

    def _numbered(self, words: IntArray) -> PartialHeads:
        """The heads of words as their numbers 1..n among them."""
        numbers = np.zeros(len(self.heads), dtype=np.int64)
        numbers[words] = np.arange(1, len(words) + 1)
        found: PartialHeads = []
        for word in words.tolist():
            head = int(self.heads[word])
            if head == word:
                found.append(0)
            elif head >= 0 and numbers[head]:
                found.append(int(numbers[head]))
            else:
                found.append(None)
                if head >= 0:
                    reason = WHITESPACE if self.is_space[head] else BOUNDARY
                    self.dropped.setdefault(word, reason)
        return found

    def message(self, doc: Doc) -> str:
        """The warning about the dropped arcs."""
        named = []
        for word, reason in sorted(self.dropped.items())[:MAX_NAMED]:
            head = int(self.heads[word])
            label = doc.vocab.strings[int(self.labels[word])]
            above = "ROOT" if head == word else f"{doc[head].text!r} ({head})"
            arc = f"{doc[word].text!r} ({word}) <-{label}- {above}"
            named.append(f"{arc}: {reason}")
        if len(self.dropped) > MAX_NAMED:
            named.append(f"and {len(self.dropped) - MAX_NAMED} more")
        start = doc.text if len(doc.text) <= 40 else f"{doc.text[:40]} ..."
        n_preset = int(((self.heads >= 0) & ~self.is_space).sum())
        return (
            f"{len(self.dropped)} of {n_preset} preset arcs of the document {start!r} "
            f"cannot be kept, and the parser finds others: {'; '.join(named)}"
        )


def blocks(heads: PartialHeads) -> Iterator[tuple[int, int]]:
    """Runs of words start..end (from 0, end excluded) that no arc leaves but ROOT's."""
    cuts = np.flatnonzero(arcs_across(heads)[:-1] == 0) + 1
    yield from pairwise([0, *cuts.tolist(), len(heads)])


def arcs_across(heads: PartialHeads) -> IntArray:
    """For each word (from 0) the number of arcs that begin at it or to the left of it
    and end to the right of it, those of ROOT aside.
    """
    changes = np.zeros(len(heads) + 1, dtype=np.int64)
    for word, head in enumerate(heads, 1):
        if head:
            changes[min(word, head) - 1] += 1
            changes[max(word, head) - 1] -= 1
    return np.cumsum(changes)[:-1]


def block_of(heads: Sequence[int | None], start: int, end: int) -> PartialHeads:
    """The heads of words that no arc leaves, numbered among them."""
    return [head - start if head else head for head in heads[start:end]]


def drop_incompatible(
    heads: PartialHeads, single_root: bool, may_cross: bool
) -> list[tuple[int, str]]:
    """Make heads unknown, from left to right, that cannot be in a tree with those
    before them.

    Cycles and crossings stay within a block, so only blocks that have some are gone
    through word by word.

    Returns:
        Their dependents 1..n and the reasons.
    """
    dropped: list[tuple[int, str]] = []
    has_cycle = bool(find_cycle(heads))
    n_roots = 0
    for start, end in list(blocks(heads)):
        block = block_of(heads, start, end)
        in_block = block.count(0)
        if (
            (single_root and n_roots + in_block > 1)
            or (has_cycle and find_cycle(block))
            or not (may_cross or is_projective(block))
        ):
            reasons = _go_through(block, single_root, may_cross, n_roots)
            for number, reason in reasons.items():
                heads[start + number - 1] = None
                dropped.append((start + number, reason))
        n_roots += heads[start:end].count(0)
    return dropped


def _go_through(
    block: PartialHeads, single_root: bool, may_cross: bool, n_roots: int
) -> dict[int, str]:
    """The words of a block whose heads are dropped, and why."""
    reasons: dict[int, str] = {}
    kept: PartialHeads = [None] * len(block)
    for number, head in enumerate(block, 1):
        if head is None:
            continue
        kept[number - 1] = head
        reason = None
        if single_root and head == 0 and n_roots + kept.count(0) > 1:
            reason = SECOND_ROOT
        elif find_cycle(kept):
            reason = CYCLE
        elif not (may_cross or is_projective(kept)):
            reason = CROSSING
        if reason is not None:
            kept[number - 1] = None
            reasons[number] = reason
    return reasons


def searchable(heads: PartialHeads) -> PartialHeads:
    """Heads with which a projective tree can be found.

    Crossing arcs are lifted. A word that would come to depend on ROOT, or on a word
    whose head is unknown, may get any head instead.
    """
    found: PartialHeads = []
    for start, end in blocks(heads):
        block = block_of(heads, start, end)
        lifted, _ = projectivize(block, [None] * len(block))
        for before, after in zip(block, lifted, strict=True):
            if before != after and after == 0:
                found.append(None)
            else:
                found.append(after + start if after else after)
    return found
