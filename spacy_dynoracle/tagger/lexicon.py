"""A lexicon of words that are tagged without scoring.

Most words of a text have a frequent form that always had the same tag in training, and
form and tag together, or the tag alone, mostly determine POS and MORPH. The lexicon
collects such forms, pairs and tags from the training data and tags these words. Models
score the other words.

Source: Honnibal 2013, "A good part-of-speech tagger in about 200 lines of Python", for
the dictionary of frequent forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..core.model.model import Model
from ..core.search.tagging import combine_tags
from ..core.sorted_keys import SortedKeys
from ..core.state.labels import Labels
from ..core.state.sentence import Sentence
from ..errors import ModelFileError
from ..util.arrays import BoolArray, IdArray, Int32Array

if TYPE_CHECKING:
    from typing_extensions import Self

# A form enters the lexicon if it occurs at least so often, and if at least this share
# of its occurrences have the same tag.
FORM_COUNT = 50
FORM_SHARE = 0.99
# A pair of form and tag enters if it occurs at least so often, always with the same POS
# or MORPH. A tag with any form enters if nearly all of its words had the same one.
PAIR_COUNT = 2
PAIR_SHARE = 1.0
TAG_SHARE = 0.998
# An attribute with more labels tells more of a word than part of speech and features,
# and models are too often wrong about it, so nothing follows from its labels alone.
MANY_LABELS = 1000
# The id of the empty form, which no word has.
ANY_FORM = 0
UNKNOWN = -1
# Stands for a combination that is not in a table.
MISSING = -2
# Stands for UNKNOWN in keys.
_ANY_LABEL = np.int64(1 << 40)
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))

KeyT = TypeVar("KeyT")


@dataclass
class LabelTable:
    """Labels by 64-bit keys.

    Attributes:
        keys: Ascending, each once.
        labels: int32 of shape (n columns, n keys), -1 for none.
    """

    keys: IdArray
    labels: Int32Array

    def __post_init__(self) -> None:
        self._index = SortedKeys(self.keys)

    @classmethod
    def of(cls, rows: Mapping[int, Sequence[int]], n_columns: int) -> Self:
        """Make a table from rows of labels by key."""
        keys = sorted(rows)
        labels = np.array([rows[key] for key in keys], dtype=np.int32)
        return cls(
            np.array(keys, dtype=np.uint64),
            np.ascontiguousarray(labels.reshape(len(keys), n_columns).T),
        )

    def find(self, keys: IdArray, missing: int = UNKNOWN) -> Int32Array:
        """The labels of keys, of shape (n columns, n keys); `missing` for unknown
        keys.
        """
        return self._index.pick(self.labels, keys, missing)

    def copy(self) -> LabelTable:
        """An independent copy."""
        return LabelTable(self.keys, self.labels.copy())

    def to_bytes(self) -> bytes:
        """The table as bytes, for a file."""
        return self.keys.astype("<u8").tobytes() + self.labels.astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes | memoryview, n_labels: Sequence[int]) -> Self:
        """The table that `to_bytes` wrote.

        Args:
            n_labels: The number of labels of each column.

        Raises:
            ModelFileError: When it is damaged or has labels that do not exist.
        """
        n_keys, rest = divmod(len(data), 8 + 4 * len(n_labels))
        if rest:
            raise ModelFileError("its lexicon has the wrong size")
        keys = np.frombuffer(data, "<u8", n_keys).astype(np.uint64)
        labels = np.frombuffer(data, "<i4", offset=8 * n_keys).astype(np.int32)
        labels = labels.reshape(len(n_labels), n_keys)
        if (keys[1:] <= keys[:-1]).any():
            raise ModelFileError("its lexicon is not in order")
        for column, n in zip(labels, n_labels, strict=True):
            if ((column < UNKNOWN) | (column >= n)).any():
                raise ModelFileError("its lexicon has labels that do not exist")
        return cls(keys, labels)


class Combinations(LabelTable):
    """The combinations of labels that words had in training, by their `keys_of`.

    Each attribute has a model of its own, so the labels that they find for a word may
    be a combination that no word had, such as a noun with a tense. UNKNOWN stands for
    any label, because a word had no gold tag there.
    """

    @classmethod
    def of_labels(cls, labels: Int32Array) -> Self:
        """Make them of the labels of words, of shape (n attributes, n words)."""
        keys, places = np.unique(keys_of(labels), return_index=True)
        return cls(keys, np.ascontiguousarray(labels[:, places]))

    @classmethod
    def from_bytes(cls, data: bytes | memoryview, n_labels: Sequence[int]) -> Self:
        """The combinations that `to_bytes` wrote, see `LabelTable`."""
        found = super().from_bytes(data, n_labels)
        # Keys of combinations that lack an attribute were once others.
        return cls.of_labels(found.labels) if UNKNOWN in found.labels else found

    @cached_property
    def _partial(self) -> BoolArray:
        """The sets of attributes that are known where a combination lacks others."""
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

        They leave out attributes with more than `MANY_LABELS` labels.

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
        more[[len(labels) > MANY_LABELS for labels in labels_by_attr]] = UNKNOWN
        return Combinations.of_labels(np.hstack([self.labels, more]))

    def apply(
        self, models: Sequence[Model], sentences: list[Sentence], labels: Int32Array
    ) -> None:
        """Give words that have none of the combinations the one with the highest sum
        of scores.

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
        """For each word whether its combination of labels is not here."""
        found: BoolArray = self.find(keys_of(labels), MISSING)[0] == MISSING
        return found


@dataclass
class TagLexicon:
    """The labels of words that need no scoring, and those that go together.

    Attributes:
        forms: The label of the first attribute by the id of the form.
        pairs: The labels of the other attributes by form, or ANY_FORM, and label of the
            first one, see `pair_keys`.
        combinations: The labels that words had in training; none for no restriction.
    """

    forms: LabelTable
    pairs: LabelTable
    combinations: Combinations

    @classmethod
    def empty(cls, n_attrs: int) -> TagLexicon:
        """An empty lexicon.

        Args:
            n_attrs: The number of attributes.
        """
        return cls(
            LabelTable.of({}, min(n_attrs, 1)),
            LabelTable.of({}, max(n_attrs - 1, 0)),
            Combinations.of({}, n_attrs),
        )

    def copy(self) -> TagLexicon:
        """An independent copy."""
        return TagLexicon(self.forms.copy(), self.pairs.copy(), self.combinations)

    @property
    def is_empty(self) -> bool:
        """Whether no word can do without scoring."""
        return not len(self.forms.keys) and not len(self.pairs.keys)

    def others(self, orth: IdArray, first: Int32Array) -> Int32Array:
        """The labels of the other attributes, of shape (n attributes - 1, n words), -1
        where they do not follow.

        Args:
            orth: The ids of the forms of words.
            first: Their labels of the first attribute.
        """
        # The last of them, which no word has, stands for UNKNOWN, which is -1.
        labels = np.arange(first.max(initial=UNKNOWN) + 2, dtype=np.int32)
        of_any_form = self.pairs.find(pair_keys(np.uint64(ANY_FORM), labels))
        known = self.pairs.find(pair_keys(orth, first))
        return np.where(known == UNKNOWN, of_any_form[:, first], known)

    def to_bytes(self) -> dict[str, bytes]:
        """The lexicon as parts of a file, by name."""
        parts = {"forms": self.forms.to_bytes(), "pairs": self.pairs.to_bytes()}
        if len(self.combinations.keys):
            parts["combinations"] = self.combinations.to_bytes()
        return parts

    @classmethod
    def from_bytes(
        cls, parts: Mapping[str, bytes | memoryview], n_labels: Sequence[int]
    ) -> TagLexicon:
        """The lexicon that `to_bytes` wrote.

        Args:
            n_labels: The number of labels of each attribute.

        Raises:
            ModelFileError: When the lexicon is damaged.
        """
        parts = {"combinations": b"", **parts}
        if set(parts) != {"forms", "pairs", "combinations"}:
            raise ModelFileError(f"it has the parts {', '.join(sorted(parts))}")
        return cls(
            LabelTable.from_bytes(parts["forms"], n_labels[:1]),
            LabelTable.from_bytes(parts["pairs"], n_labels[1:]),
            Combinations.from_bytes(parts["combinations"], n_labels),
        )


def pair_keys(orth: IdArray | np.uint64, labels: Int32Array) -> IdArray:
    """Hash pairs of a form and a label to keys."""
    return hashed_pairs(orth, labels.astype(np.int64).view(np.uint64))


def hashed_pairs(first: IdArray | np.uint64, second: IdArray) -> IdArray:
    """Hash pairs of numbers to keys, which may be the first of another pair."""
    keys: IdArray = (first ^ (second * _FACTORS[0])) * _FACTORS[1]
    return keys


def keys_of(labels: Int32Array) -> IdArray:
    """Hash the labels of words, of shape (n attributes, n words), to keys."""
    # The product of -1 with a factor has all bits but the last turned round, so that
    # combinations that lack a label would often have the keys of others.
    known = np.where(labels == UNKNOWN, _ANY_LABEL, labels)
    first: IdArray = known[0].view(np.uint64)
    return reduce(pair_keys, known[1:], first)


class TagCounts:
    """Counts how often each form has each tag.

    Args:
        n_attrs: The number of attributes.
    """

    def __init__(self, n_attrs: int) -> None:
        # (form, tag of the first attribute).
        self.forms: Counter[tuple[int, str]] = Counter()
        # For each other attribute (form, tag of the first attribute, tag).
        self.pairs: list[Counter[tuple[int, str, str]]] = [
            Counter() for _ in range(n_attrs - 1)
        ]

    def add(self, orth: Sequence[int], columns: Sequence[Sequence[str | None]]) -> None:
        """Count the words of a document.

        Args:
            orth: Ids of the forms.
            columns: For each attribute the tags, None for unknown.
        """
        if not columns:
            return
        first, *others = columns
        self.forms.update(
            (form, tag) for form, tag in zip(orth, first, strict=True) if tag
        )
        for count, column in zip(self.pairs, others, strict=True):
            count.update(
                (form, tag, other)
                for form, tag, other in zip(orth, first, column, strict=True)
                if tag and other
            )

    def lexicon(self, labels_by_attr: Sequence[Labels]) -> TagLexicon:
        """Make a lexicon of the reliable entries.

        Args:
            labels_by_attr: The labels of each attribute.
        """
        if not labels_by_attr:
            return TagLexicon.empty(0)
        first, *others = ({tag: i for i, tag in enumerate(ls)} for ls in labels_by_attr)
        by_form = ((form, tag, n) for (form, tag), n in self.forms.items())
        forms = {
            form: [first[tag]]
            for form, tag in reliable(by_form, FORM_COUNT, FORM_SHARE).items()
            if tag in first
        }
        rows: dict[tuple[int, int], list[int]] = {}
        for column, (count, numbers) in enumerate(zip(self.pairs, others, strict=True)):
            by_tag = (((ANY_FORM, tag), to, n) for (_, tag, to), n in count.items())
            by_pair = (((form, tag), to, n) for (form, tag, to), n in count.items())
            found = reliable(by_pair, PAIR_COUNT, PAIR_SHARE)
            if len(first) <= MANY_LABELS:
                found |= reliable(by_tag, PAIR_COUNT, TAG_SHARE)
            for (form, tag), label in found.items():
                if tag in first and label in numbers:
                    row = rows.setdefault((form, first[tag]), [UNKNOWN] * len(others))
                    row[column] = numbers[label]
        keys = pair_keys(
            np.array([form for form, _ in rows], dtype=np.uint64),
            np.array([tag for _, tag in rows], dtype=np.int32),
        )
        pairs = dict(zip(keys.tolist(), rows.values(), strict=True))
        lexicon = TagLexicon.empty(len(labels_by_attr))
        lexicon.forms = LabelTable.of(forms, 1)
        lexicon.pairs = LabelTable.of(pairs, len(others))
        return lexicon


def reliable(
    counts: Iterable[tuple[KeyT, str, int]], least: int, share: float
) -> dict[KeyT, str]:
    """The label of each key that occurs often enough, nearly always with that label.

    Args:
        counts: Keys with a label and how often they occur together.
        least: How often a key must occur.
        share: The share of its occurrences that must have the label.
    """
    by_key: dict[KeyT, Counter[str]] = {}
    for key, label, n in counts:
        by_key.setdefault(key, Counter())[label] += n
    found = {}
    for key, labels in by_key.items():
        (label, n), total = labels.most_common(1)[0], sum(labels.values())
        if total >= least and n >= share * total:
            found[key] = label
    return found
