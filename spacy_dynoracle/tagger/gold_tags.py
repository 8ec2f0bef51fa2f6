"""From `Example` objects to gold tags.

The gold tags of a reference document are made once and kept until it changes, as long
as prediction and reference have the same tokens.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from ..core.state.gold import GoldTree
from ..core.state.labels import Labels
from ..doc.reference import ReferenceArrays, known_starts
from ..util.arrays import IntArray
from .attributes import ATTRIBUTES

# For each attribute the gold tags of the words of a document as the labels of a flat
# tree (see `core.systems.tagging`); None where no tag is known.
GoldTags = list[GoldTree | None]


@dataclass(frozen=True)
class GoldSequences:
    """The gold tags of a document, cut into the sequences that a tagger learns from.

    Attributes:
        cuts: The first word of each sequence, and the end of the last one.
        tags: The gold tags of each sequence.
    """

    cuts: list[int]
    tags: list[GoldTags]


def gold_tags(reference: Doc, attrs: Sequence[str]) -> Iterator[list[str | None]]:
    """For each attribute the labels of all tokens of a document, None for unknown.

    Labels of whitespace tokens, which are never tagged, are unknown.
    """
    table: Any = reference.to_array([*attrs, IS_SPACE])
    table = table.reshape(len(reference), len(attrs) + 1)
    if "SENT_START" in attrs and len(reference):
        starts = known_starts(reference).view(np.uint64)
        table[:, list(attrs).index("SENT_START")] = starts
    strings = reference.vocab.strings
    is_space = table[:, -1] != 0
    for column, attr in enumerate(attrs):
        attribute = ATTRIBUTES[attr]
        values = attribute.of_words(table[:, column], is_space)
        labels = {
            value: attribute.label(value, strings) if value else None
            for value in np.unique(values).tolist()
        }
        yield [labels[value] for value in values.tolist()]


def gold_starts(example: Example) -> list[bool | None]:
    """For each predicted token whether it starts a sentence of the reference; None if
    the reference has no sentences, or is a partial tree, which may have others.
    """
    starts: list[bool | None]
    if ReferenceArrays(example.reference).is_partial:
        return [None] * len(example.predicted)
    starts = example.get_aligned_sent_starts()  # type: ignore[no-untyped-call]
    return starts


def counterparts(example: Example) -> IntArray:
    """For each predicted token the token of the reference with the same text, -1 where
    the alignment is not one to one.
    """
    to_gold, to_predicted = example.alignment.x2y, example.alignment.y2x
    found = np.full(len(example.predicted), -1, dtype=np.int64)
    for token in range(len(found)):
        if to_gold.lengths[token] == 1:
            (gold,) = to_gold[token]
            if to_predicted.lengths[gold] == 1:
                found[token] = gold
    return found


class TagCache:
    """Gold tags ready for training, kept for each reference document until it changes.

    Args:
        attrs: The attributes.
        labels_by_attr: Gives the labels of each its ids.
        meet: Called with an attribute and the labels of a document before they get ids.
        by_sentence: Whether each sentence of the reference is a sequence of its own.

    Attributes:
        combinations: The tags of all attributes of words that were read, None for
            unknown. Whoever takes them clears it.
    """

    def __init__(
        self,
        attrs: Sequence[str],
        labels_by_attr: Sequence[Labels],
        meet: Callable[[str, set[str]], None],
        *,
        by_sentence: bool = False,
    ) -> None:
        self.attrs = list(attrs)
        self.labels_by_attr = labels_by_attr
        self.meet = meet
        self.by_sentence = by_sentence
        self.combinations: dict[tuple[str | None, ...], None] = {}
        self._entries: WeakKeyDictionary[Doc, tuple[np.ndarray, GoldSequences]] = (
            WeakKeyDictionary()
        )

    def get(self, example: Example, orth: np.ndarray, words: IntArray) -> GoldSequences:
        """The gold tags of an example.

        Args:
            orth: Ids of the forms of the predicted document.
            words: The indices of its words.
        """
        reference = example.reference
        # Somebody may correct it.
        read = reference.to_array([ORTH, SENT_START, HEAD, DEP, *self.attrs])
        starts = None
        if not np.array_equal(orth, read[:, 0]):
            if self.by_sentence:
                starts = np.flatnonzero([bool(s) for s in gold_starts(example)])
            return self._build(reference, counterparts(example), words, starts)
        entry = self._entries.get(reference)
        if entry is None or not np.array_equal(read, entry[0]):
            if self.by_sentence:
                starts = np.flatnonzero(known_starts(reference) == 1)
            gold = self._build(reference, np.arange(len(read)), words, starts)
            entry = self._entries[reference] = (read, gold)
        return entry[1]

    def _build(
        self, reference: Doc, tokens: IntArray, words: IntArray, starts: IntArray | None
    ) -> GoldSequences:
        """Make gold tags.

        Args:
            tokens: For each predicted token its token of the reference, or -1.
            starts: The predicted tokens that start sequences; None for one sequence.
        """
        cuts = [0, len(words)]
        if starts is not None:
            cuts = np.union1d(np.searchsorted(words, starts), cuts).tolist()
        tokens = tokens[words]
        built: list[GoldTags] = [[] for _ in cuts[1:]]
        columns = []
        for attr, attr_labels, labels in zip(
            self.attrs,
            self.labels_by_attr,
            gold_tags(reference, self.attrs),
            strict=True,
        ):
            # Index -1, of a token without a counterpart, selects this None.
            labels.append(None)
            tags = [labels[token] for token in tokens.tolist()]
            columns.append(tags)
            self.meet(attr, {tag for tag in tags if tag is not None})
            for own, (start, end) in zip(built, pairwise(cuts), strict=True):
                own.append(gold_tree(tags[start:end], attr_labels))
        self.combinations.update(dict.fromkeys(zip(*columns, strict=True)))
        return GoldSequences(cuts, built)


def gold_tree(tags: list[str | None], labels: Labels) -> GoldTree | None:
    """Gold tags as the labels of a flat tree. None if no tag is known."""
    heads = [None if tag is None else 0 for tag in tags]
    return GoldTree(heads, tags, labels) if 0 in heads else None
