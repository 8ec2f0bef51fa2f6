"""A lexicon of words that are tagged without scoring.

Most words of a text have a frequent form that always had the same tag in training, and
form and tag together mostly determine POS and MORPH. The lexicon collects such forms
and pairs from the training data and tags these words. Models score the other words.

Source: Honnibal 2013, "A good part-of-speech tagger in about 200 lines of Python", for
the dictionary of frequent forms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.sorted_keys import SortedKeys
from ..core.state.labels import Labels
from ..errors import ModelFileError
from ..util.arrays import IdArray, Int32Array

# A form enters the lexicon if it occurs at least so often, and if at least this share
# of its occurrences have the same tag.
FORM_COUNT = 50
FORM_SHARE = 0.99
# A pair of form and tag enters if it occurs at least so often, always with the same POS
# or MORPH.
PAIR_COUNT = 2
UNKNOWN = -1
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


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
    def of(cls, rows: Mapping[int, Sequence[int]], n_columns: int) -> LabelTable:
        """Make a table from rows of labels by key."""
        keys = sorted(rows)
        labels = np.array([rows[key] for key in keys], dtype=np.int32)
        return cls(
            np.array(keys, dtype=np.uint64),
            np.ascontiguousarray(labels.reshape(len(keys), n_columns).T),
        )

    def find(self, keys: IdArray) -> Int32Array:
        """The labels of keys, of shape (n columns, n keys); -1 for unknown keys."""
        return self._index.pick(self.labels, keys, UNKNOWN)

    def copy(self) -> LabelTable:
        """An independent copy."""
        return LabelTable(self.keys, self.labels.copy())

    def to_bytes(self) -> bytes:
        """The table as bytes, for a file."""
        return self.keys.astype("<u8").tobytes() + self.labels.astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, n_labels: Sequence[int]) -> LabelTable:
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


@dataclass
class TagLexicon:
    """The labels of words that need no scoring.

    Attributes:
        forms: The label of the first attribute by the id of the form.
        pairs: The labels of the other attributes by form and label of the first one,
            see `pair_keys`.
    """

    forms: LabelTable
    pairs: LabelTable

    @classmethod
    def empty(cls, n_attrs: int) -> TagLexicon:
        """An empty lexicon.

        Args:
            n_attrs: The number of attributes.
        """
        return cls(
            LabelTable.of({}, min(n_attrs, 1)), LabelTable.of({}, max(n_attrs - 1, 0))
        )

    def copy(self) -> TagLexicon:
        """An independent copy."""
        return TagLexicon(self.forms.copy(), self.pairs.copy())

    @property
    def is_empty(self) -> bool:
        """Whether the lexicon has no entries."""
        return not len(self.forms.keys) and not len(self.pairs.keys)

    def contradict(self, orth: IdArray, labels: Int32Array) -> None:
        """Remove the labels that contradict gold labels.

        Args:
            orth: Ids of forms.
            labels: Of shape (n attributes, n forms), -1 for unknown.
        """
        first, others = labels[:1], labels[1:]
        for table, keys, seen in (
            (self.forms, orth, first),
            (self.pairs, pair_keys(orth, labels[0]), others),
        ):
            wrong = (table.find(keys) != seen) & (seen != UNKNOWN)
            for column, is_wrong in zip(table.labels, wrong, strict=True):
                column[np.isin(table.keys, keys[is_wrong])] = UNKNOWN

    def to_bytes(self) -> dict[str, bytes]:
        """The lexicon as parts of a file, by name."""
        return {"forms": self.forms.to_bytes(), "pairs": self.pairs.to_bytes()}

    @classmethod
    def from_bytes(
        cls, parts: Mapping[str, bytes], n_labels: Sequence[int]
    ) -> TagLexicon:
        """The lexicon that `to_bytes` wrote.

        Args:
            n_labels: The number of labels of each attribute.

        Raises:
            ModelFileError: When the lexicon is damaged.
        """
        if set(parts) != {"forms", "pairs"}:
            raise ModelFileError(f"it has the parts {', '.join(sorted(parts))}")
        return cls(
            LabelTable.from_bytes(parts["forms"], n_labels[:1]),
            LabelTable.from_bytes(parts["pairs"], n_labels[1:]),
        )


def pair_keys(orth: IdArray, labels: Int32Array) -> IdArray:
    """Hash pairs of a form and a label to keys."""
    return hashed_pairs(orth, labels.astype(np.int64).view(np.uint64))


def hashed_pairs(first: IdArray, second: IdArray) -> IdArray:
    """Hash pairs of numbers to keys, which may be the first of another pair."""
    keys: IdArray = (first ^ (second * _FACTORS[0])) * _FACTORS[1]
    return keys


class TagCounts:
    """Counts how often each form has each tag.

    Args:
        n_attrs: The number of attributes.
    """

    def __init__(self, n_attrs: int) -> None:
        self.n_attrs = n_attrs
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
        by_form: dict[int, Counter[str]] = {}
        for (form, tag), n in self.forms.items():
            by_form.setdefault(form, Counter())[tag] = n
        forms = {}
        for form, tags in by_form.items():
            (tag, n), total = tags.most_common(1)[0], sum(tags.values())
            if total >= FORM_COUNT and n >= FORM_SHARE * total and tag in first:
                forms[form] = [first[tag]]
        rows: dict[tuple[int, int], list[int]] = {}
        for column, (count, numbers) in enumerate(zip(self.pairs, others, strict=True)):
            for (form, tag), label in unambiguous(count).items():
                if tag in first and label in numbers:
                    row = rows.setdefault((form, first[tag]), [UNKNOWN] * len(others))
                    row[column] = numbers[label]
        keys = pair_keys(
            np.array([form for form, _ in rows], dtype=np.uint64),
            np.array([tag for _, tag in rows], dtype=np.int32),
        )
        pairs = dict(zip(keys.tolist(), rows.values(), strict=True))
        return TagLexicon(LabelTable.of(forms, 1), LabelTable.of(pairs, len(others)))


def unambiguous(counts: Counter[tuple[int, str, str]]) -> dict[tuple[int, str], str]:
    """The pairs of form and tag that occur often enough, always with the same label."""
    found: dict[tuple[int, str], str] = {}
    several = set()
    for form, tag, label in counts:
        if found.setdefault((form, tag), label) != label:
            several.add((form, tag))
    return {
        pair: label
        for pair, label in found.items()
        if pair not in several and counts[pair[0], pair[1], label] >= PAIR_COUNT
    }
