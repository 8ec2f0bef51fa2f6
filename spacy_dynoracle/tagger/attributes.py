"""The token attributes that are labels of words: TAG, POS and MORPH, which a tagger
sets, and sentence starts.

In the core a tag is a label, a string. A Doc holds it as a number, where 0 means that
the token has no tag.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.morphology import Morphology
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.strings import get_string_id
from spacy.vocab import Vocab

from ..util.arrays import BoolArray, IdArray
from ..util.config_errors import check_unicode

# The label of a word that is known to have no morphological features.
NO_FEATURES = "_"
# The labels of words that start a sentence, and of all others.
START = "S"
INSIDE = "I"


class TagAttribute:
    """A token attribute whose labels are any strings.

    Attributes:
        name: The name in spaCy, such as "TAG".
        blank: The label of whitespace tokens.
    """

    name: str
    blank: str

    def check(self, label: Any) -> str:
        """Return a label in its normal form.

        Raises:
            ValueError: If it is impossible, as what is no string, or an empty one.
        """
        if isinstance(label, str) and label:
            check_unicode(self.name, label)
            return label
        raise ValueError(f"{label!r} is not a {self.name}: expected a string")

    def label(self, value: int, strings: Any) -> str:
        """The label for a number other than 0 in a Doc with this string store."""
        return str(strings[value])

    def value(self, label: str) -> int:
        """The number by which every Doc holds a label."""
        return int(get_string_id(label))

    def of_words(self, values: IdArray, is_space: BoolArray) -> IdArray:
        """The gold values of the words of a document, 0 where the value is unknown.

        Args:
            values: The numbers of all tokens.
            is_space: Whether each token is whitespace, which has no gold value.
        """
        words: IdArray = np.where(is_space, 0, values)
        return words

    def introduce(self, labels: Sequence[str], vocab: Vocab) -> None:
        """Add labels to a vocab permanently."""
        strings: Any = vocab.strings
        for label in labels:
            strings.add(label, allow_transient=False)


class FineTag(TagAttribute):
    """Fine-grained tags."""

    name = "TAG"
    blank = "_SP"


class CoarseTag(TagAttribute):
    """Coarse-grained tags of Universal Dependencies, as spaCy knows them."""

    name = "POS"
    blank = "SPACE"

    def check(self, label: Any) -> str:
        """A label.

        Raises:
            ValueError: If spaCy does not have it.
        """
        pos = super().check(label)
        if pos not in POS_IDS:
            known = ", ".join(name for name in POS_IDS if name)
            raise ValueError(
                f"spaCy has no POS {pos!r}: expected one of {known}; other tags can "
                f"be used as TAG"
            )
        return pos

    def label(self, value: int, strings: Any) -> str:
        """The name."""
        return str(POS_NAMES[value])

    def value(self, label: str) -> int:
        """The number by which every Doc holds a label."""
        return int(POS_IDS[label])


class MorphFeatures(TagAttribute):
    """All morphological features of a word together, as "Case=Nom|Number=Sing"."""

    name = "MORPH"
    blank = NO_FEATURES

    def check(self, label: Any) -> str:
        """The label with sorted features.

        Raises:
            ValueError: If its form is wrong.
        """
        features = super().check(label)
        if features == NO_FEATURES:
            return features
        if any(pair.count("=") != 1 for pair in features.split("|")):
            raise ValueError(
                f"{features!r} is not a MORPH: expected Name=Value, separated by |, or "
                f"{NO_FEATURES!r} for no features"
            )
        return str(Morphology.dict_to_feats(Morphology.feats_to_dict(features)))

    def label(self, value: int, strings: Any) -> str:
        """The features as one string."""
        return self.check(super().label(value, strings))

    def introduce(self, labels: Sequence[str], vocab: Vocab) -> None:
        """Add analyses to a vocab permanently."""
        for label in labels:
            vocab.morphology.add("" if label == NO_FEATURES else label)


class SentenceStart(TagAttribute):
    """Whether a sentence starts at a word: START or INSIDE."""

    name = "SENT_START"
    blank = INSIDE

    def check(self, label: Any) -> str:
        """A label.

        Raises:
            ValueError: Unless it is START or INSIDE.
        """
        if label not in (START, INSIDE):
            raise ValueError(
                f"{label!r} is not a {self.name}: expected {START!r} or {INSIDE!r}"
            )
        return str(label)

    def label(self, value: int, strings: Any) -> str:
        """START for the number 1, else INSIDE."""
        return START if value == 1 else INSIDE

    def of_words(self, values: IdArray, is_space: BoolArray) -> IdArray:
        """The gold values of the words of a document, 0 where the value is unknown.

        A start on whitespace moves to the next word, and the first word is a start. All
        values are unknown if nothing is known behind the first token.
        """
        words = np.flatnonzero(~is_space)
        moved = np.zeros_like(values)
        if values[1:].any() and len(words):
            moved[words] = values[words]
            next_word = np.searchsorted(words, np.flatnonzero(values == 1))
            moved[words[next_word[next_word < len(words)]]] = 1
            moved[words[0]] = 1
        return moved


TAGS = (FineTag(), CoarseTag(), MorphFeatures())
# The attributes that a tagger sets.
TAG_NAMES = tuple(a.name for a in TAGS)
ATTRIBUTES: dict[str, TagAttribute] = {a.name: a for a in (*TAGS, SentenceStart())}


def check_attrs(attrs: Sequence[str] | None) -> None:
    """Raise ValueError unless attrs is None or names some attributes, each once."""
    if attrs is None:
        return
    known = ", ".join(TAG_NAMES)
    if not isinstance(attrs, list | tuple) or not attrs:
        raise ValueError(
            f"attrs = {attrs!r}: expected a list of some of {known}, or null for those "
            f"that the training data have"
        )
    for attr in attrs:
        if attr not in TAG_NAMES:
            raise ValueError(f"attrs has {attr!r}: expected some of {known}")
    if len(set(attrs)) != len(attrs):
        raise ValueError(f"attrs = {list(attrs)!r}: name each attribute once")
