"""Labels whose words never govern, such as `punct`: which ones training data show, and
trees in which they govern nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

from ..util.arrays import BoolArray, Int32Array, IntArray

Heads = TypeVar("Heads", Int32Array, IntArray)
AUTO = "auto"
# A label never governs if it has at least so many words, and at most this share of them
# has a dependent: treebanks have errors.
MIN_WORDS = 100
MAX_SHARE = 0.0005


def check_never_govern(given: Any) -> None:
    """Raise ValueError unless a value of the setting is one of those it may have."""
    is_list = isinstance(given, (list, tuple))
    if given not in (AUTO, None) and not (
        is_list and all(isinstance(label, str) and label for label in given)
    ):
        raise ValueError(
            f'never_govern = {given!r}: expected "auto", null or a list of labels'
        )


class GovernorCounts:
    """Counts the words of each label, and those that have a dependent."""

    def __init__(self) -> None:
        self._words: Counter[int] = Counter()
        self._governors: Counter[int] = Counter()

    def watch(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Count in the references of examples as they pass by."""
        for example in examples:
            self._count(example.reference)
            yield example

    def _count(self, doc: Doc) -> None:
        heads, labels, is_space = doc.to_array([HEAD, DEP, IS_SPACE]).T
        is_word = is_space == 0
        if not labels[is_word].all():
            # Words without a known head may be dependents of any word.
            return
        tokens = np.arange(len(doc))
        heads = tokens + heads.astype(np.int64)
        governs = np.zeros(len(doc), dtype=bool)
        governs[heads[is_word & (heads != tokens)]] = True
        self._words.update(labels[is_word].tolist())
        self._governors.update(labels[is_word & governs].tolist())

    def never_govern(self, labels: Iterable[str]) -> list[str]:
        """Those of some labels that never govern, sorted."""
        ids = {label: get_string_id(label) for label in labels}
        return sorted(
            label
            for label, number in ids.items()
            if self._words[number] >= MIN_WORDS
            and self._governors[number] <= MAX_SHARE * self._words[number]
        )


def are_in(labels: Iterable[str], never_govern: Sequence[str]) -> BoolArray:
    """For each label whether it never governs."""
    return np.array([label in never_govern for label in labels], dtype=bool)


def moved_up(
    heads: Heads,
    never_governs: BoolArray,
    lengths: Sequence[int],
    kept: BoolArray | None = None,
) -> Heads:
    """The heads of a batch in which dependents of words that never govern depend on the
    first word above that may govern. Where there is none, they stay as they are.

    Projective trees stay projective, because all dependents of a word move.

    Args:
        heads: 0 for ROOT.
        never_governs: For each word whether its label says so.
        lengths: The numbers of words of the sentences.
        kept: For each word whether its arc must stay; its head and itself may govern.

    Returns:
        The same array if no arc is moved.
    """
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    above = np.where(heads > 0, starts + heads - 1, np.arange(len(heads)))
    if kept is not None:
        never_governs = never_governs & ~kept
        never_governs[above[kept]] = False
    wrong = never_governs[above] & (heads > 0)
    if not wrong.any():
        return heads
    words = np.flatnonzero(wrong)
    found = above[words]
    # The head of a root is itself here.
    while (low := never_governs[found] & (above[found] != found)).any():
        found = np.where(low, above[found], found)
    may_govern = ~never_governs[found]
    words, found = words[may_govern], found[may_govern]
    if not len(words):
        return heads
    heads = heads.copy()
    heads[words] = found - starts[words] + 1
    return heads
