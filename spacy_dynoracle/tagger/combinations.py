"""The combinations of labels that words had in training.

Each attribute has a model of its own, so the labels that they find for a word may be a
combination that no word of the training data had, such as a noun with a tense. Such a
word gets the combination with the highest sum of scores among those of the training
data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce

import numpy as np

from ..core.model.model import Model
from ..core.search.tagging import combine_tags
from ..core.state.labels import Labels
from ..core.state.sentence import Sentence
from ..util.arrays import BoolArray, IdArray, Int32Array
from .label_table import UNKNOWN, LabelTable, pair_keys

# Stands for a combination that is not in a table.
MISSING = UNKNOWN - 1


class Combinations(LabelTable):
    """The label of each attribute by the key of the combination, see `keys_of`.

    UNKNOWN stands for any label, because a word had no gold tag there.
    """

    @cached_property
    def _partial(self) -> BoolArray:
        """Which attributes are known in combinations that lack others."""
        known = self.labels != UNKNOWN
        patterns = np.unique(known[:, ~known.all(axis=0)], axis=1)
        columns: BoolArray = patterns.T[:, :, None]
        return columns

    @cached_property
    def _ordered(self) -> tuple[list[int], Int32Array]:
        """The numbers of the attributes, that with the most labels last, and the labels
        in this order, sorted.
        """
        attrs = np.argsort(self.labels.max(axis=1), kind="stable")
        table = np.unique(self.labels[attrs], axis=1)
        return attrs.tolist(), np.ascontiguousarray(table)

    def with_tags(
        self, rows: Iterable[Sequence[str | None]], labels_by_attr: Sequence[Labels]
    ) -> Combinations:
        """These combinations and others.

        Args:
            rows: The tag of each attribute, or None.
            labels_by_attr: The labels of each attribute, which have all tags.
        """
        found = [
            [labels.find(tag) for tag, labels in zip(row, labels_by_attr, strict=True)]
            for row in rows
            if any(row)
        ]
        more = np.array(found, dtype=np.int32).reshape(-1, len(labels_by_attr)).T
        labels = np.hstack([self.labels, more])
        keys, places = np.unique(keys_of(labels), return_index=True)
        return Combinations(keys, np.ascontiguousarray(labels[:, places]))

    def apply(
        self, models: Sequence[Model], sentences: list[Sentence], labels: Int32Array
    ) -> None:
        """Give words that have none of the combinations the best one.

        Args:
            labels: The labels of all words that the models found, of shape
                (n attributes, n words). They are changed.
        """
        words = np.flatnonzero(self._lacks(labels))
        for known in self._partial:
            rest = np.where(known, labels[:, words], UNKNOWN)
            words = words[self._lacks(rest)]
        if len(words):
            attrs, table = self._ordered
            of_attrs = [models[i] for i in attrs], [labels[i] for i in attrs]
            combine_tags(sentences, *of_attrs, table, words)

    def _lacks(self, labels: Int32Array) -> BoolArray:
        """Which words have a combination that is not here."""
        found: BoolArray = self.find(keys_of(labels), MISSING)[0] == MISSING
        return found


def keys_of(labels: Int32Array) -> IdArray:
    """Hash the labels of words, of shape (n attributes, n words), to keys."""
    first: IdArray = labels[0].astype(np.int64).view(np.uint64)
    return reduce(pair_keys, labels[1:], first)
