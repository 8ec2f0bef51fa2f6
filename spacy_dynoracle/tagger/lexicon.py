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
from typing import TypeVar

import numpy as np

from ..core.state.labels import Labels
from ..errors import ModelFileError
from ..util.arrays import IdArray, Int32Array
from .combinations import Combinations
from .label_table import UNKNOWN, LabelTable, pair_keys

# A form enters the lexicon if it occurs at least so often, and if at least this share
# of its occurrences have the same tag.
FORM_COUNT = 50
FORM_SHARE = 0.99
# A pair of form and tag enters if it occurs at least so often, always with the same POS
# or MORPH. A tag with any form enters if nearly all of its words had the same one.
PAIR_COUNT = 2
PAIR_SHARE = 1.0
TAG_SHARE = 0.998
# The id of the empty form, which no word has.
ANY_FORM = 0

KeyT = TypeVar("KeyT")


@dataclass
class TagLexicon:
    """The labels of words that need no scoring, and those that go together.

    Attributes:
        forms: The label of the first attribute by the id of the form.
        pairs: The labels of the other attributes by form, or ANY_FORM, and label of the
            first one, see `pair_keys`.
        combinations: The labels that words had in training, see
            `spacy_dynoracle.tagger.combinations`; none for no restriction.
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
        labels = np.arange(first.max(initial=UNKNOWN) + 2, dtype=np.int32)
        of_any_form = self.pairs.find(pair_keys(np.uint64(ANY_FORM), labels))
        known = self.pairs.find(pair_keys(orth, first))
        return np.where(known == UNKNOWN, of_any_form[:, first], known)

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
            (self.pairs, pair_keys(np.uint64(ANY_FORM), labels[0]), others),
        ):
            wrong = (table.find(keys) != seen) & (seen != UNKNOWN)
            for column, is_wrong in zip(table.labels, wrong, strict=True):
                column[np.isin(table.keys, keys[is_wrong])] = UNKNOWN

    def to_bytes(self) -> dict[str, bytes]:
        """The lexicon as parts of a file, by name."""
        parts = {"forms": self.forms.to_bytes(), "pairs": self.pairs.to_bytes()}
        if len(self.combinations.keys):
            parts["combinations"] = self.combinations.to_bytes()
        return parts

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
        parts = {"combinations": b"", **parts}
        if set(parts) != {"forms", "pairs", "combinations"}:
            raise ModelFileError(f"it has the parts {', '.join(sorted(parts))}")
        return cls(
            LabelTable.from_bytes(parts["forms"], n_labels[:1]),
            LabelTable.from_bytes(parts["pairs"], n_labels[1:]),
            Combinations.from_bytes(parts["combinations"], n_labels),
        )


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
            found = reliable(by_tag, PAIR_COUNT, TAG_SHARE)
            found |= reliable(by_pair, PAIR_COUNT, PAIR_SHARE)
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
