"""From documents to tags: the models of a tagger, their labels in Docs, and threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.attrs import IDS as ATTRIBUTE_IDS

from ..core.model.bundle import read_models, write_models
from ..core.model.model import Model
from ..core.search.tagging import tag_words
from ..core.state.sentence import Sentence
from ..core.systems.tagging import Tagging
from ..errors import ModelFileError
from ..util.arrays import IdArray, Int32Array
from ..util.threads import in_chunks
from .attributes import ATTRIBUTES, TAG_NAMES
from .input import WordBatch
from .lexicon import TagLexicon


@dataclass(frozen=True, eq=False)
class TagModels:
    """The models of a tagger.

    Attributes:
        by_attr: A model for each token attribute, in the order of training.
        lexicon: The words that need no scoring.
    """

    by_attr: dict[str, Model]
    lexicon: TagLexicon

    @property
    def attrs(self) -> list[str]:
        """The attributes that have a model."""
        return list(self.by_attr)

    @property
    def first(self) -> Model | None:
        """The first model, which has the features of all; None without models."""
        return next(iter(self.by_attr.values()), None)

    @property
    def n_labels(self) -> int:
        """The number of labels of all attributes."""
        return sum(len(model.labels) for model in self.by_attr.values())

    def freeze(self) -> TagModels:
        """The same models with immutable weights."""
        models = {attr: m.freeze() for attr, m in self.by_attr.items()}
        return TagModels(models, self.lexicon.copy())

    def to_bytes(self, *, resume: bool = True) -> bytes:
        """The models as bytes, for a file. The same models always give the same bytes.

        Args:
            resume: With the part that only further training needs.
        """
        return write_models(self.by_attr, self.lexicon.to_bytes(), resume=resume)

    @classmethod
    def from_bytes(
        cls, data: bytes | memoryview, attrs: Sequence[str] = TAG_NAMES
    ) -> TagModels:
        """The models that `to_bytes` wrote.

        Args:
            attrs: The attributes that they may have.

        Raises:
            ModelFileError: When the bytes do not hold the models of a tagger.
        """
        models, parts = read_models(data)
        for attr, model in models.items():
            if attr not in attrs:
                raise ModelFileError(f"its attribute {attr!r} is unknown")
            if not isinstance(model.system, Tagging):
                raise ModelFileError(f"its model of {attr} is not a model of a tagger")
            for label in model.labels:
                check_label(attr, label)
        n_labels = [len(model.labels) for model in models.values()]
        return cls(models, TagLexicon.from_bytes(parts, n_labels))


def check_label(attr: str, label: str) -> None:
    """Raise ModelFileError unless a label is one that the attribute can have."""
    try:
        normal = ATTRIBUTES[attr].check(label)
    except ValueError as error:
        raise ModelFileError(f"a label is impossible: {error}") from error
    if normal != label:
        raise ModelFileError(f"its label {label!r} should be {normal!r}")


class TagValues:
    """The values in documents of the labels of models, which are remembered."""

    def __init__(self) -> None:
        # A string store, the models whose labels it knows, and their number of labels.
        self._known: tuple[Any, TagModels | None, int] = (None, None, 0)
        self._values: tuple[TagModels | None, int, list[IdArray]] = (None, 0, [])

    def introduce(self, models: TagModels, vocab: Any) -> None:
        """Add the labels of models to a vocab permanently.

        Documents may have another vocab than the component, and training may add
        labels.
        """
        known = (vocab.strings, models, models.n_labels)
        if known == self._known:
            return
        for attr, model in models.by_attr.items():
            attribute = ATTRIBUTES[attr]
            attribute.introduce([*model.labels, attribute.blank], vocab)
        # A label that is also a word of a text in a memory zone ends with the zone.
        if not vocab.in_memory_zone:
            self._known = known

    def of(self, models: TagModels) -> list[IdArray]:
        """For each attribute the values of its labels in documents, followed by the
        value of whitespace and the value of words without a label.
        """
        of, n_labels, values = self._values
        if of is not models or n_labels != models.n_labels:
            values = []
            for attr, model in models.by_attr.items():
                attribute = ATTRIBUTES[attr]
                numbers = [attribute.value(label) for label in model.labels]
                numbers += [attribute.value(attribute.blank), 0]
                values.append(np.array(numbers, dtype=np.uint64))
            self._values = (models, models.n_labels, values)
        return values


@lru_cache(maxsize=64)
def attribute_ids(attrs: tuple[str, ...]) -> tuple[int, ...]:
    """The numbers of spaCy for attributes."""
    return tuple(ATTRIBUTE_IDS[attr] for attr in attrs)


def tag(
    models: TagModels, batch: WordBatch, values: list[IdArray], n_threads: int
) -> list[IdArray]:
    """The values of all attributes for the tokens of each document of a batch.

    Args:
        batch: The documents, read with the attributes that tokens keep.
        values: The result of `TagValues.of`.

    Returns:
        Arrays of shape (n tokens, n attributes).
    """

    def find(numbers: list[int]) -> list[Int32Array]:
        first, end = (numbers[0], numbers[-1] + 1) if numbers else (0, 0)
        orth = batch.plain_orth[batch.cuts[first] : batch.cuts[end]]
        return labels_with_lexicon(models, batch.sequences[first:end], orth)

    n_words = np.diff(batch.cuts).tolist()
    found = in_chunks(find, list(range(len(n_words))), n_threads, n_words.__getitem__)
    table = np.empty((batch.bounds[-1], len(values)), dtype=np.uint64)
    for column, numbers in enumerate(values):
        labels = [chunk[column] for chunk in found]
        of_words = numbers[labels[0] if len(labels) == 1 else np.concatenate(labels)]
        if batch.any_space:
            table[:, column] = numbers[-2]
            table[~batch.is_space, column] = of_words
        else:
            table[:, column] = of_words
    if batch.attributes.any():
        table = np.where(batch.attributes != 0, batch.attributes, table)
    return [table[start:end] for start, end in pairwise(batch.bounds)]


def labels_with_lexicon(
    models: TagModels, sentences: list[Sentence], orth: IdArray
) -> list[Int32Array]:
    """For each attribute the labels of the words of all sentences, -1 for none.

    Words in the lexicon get its labels. If it has combinations of labels, all words get
    one of them.

    Args:
        orth: The ids of the forms of all words.
    """
    if not models.by_attr:
        return []
    lexicon = models.lexicon
    first, *others = models.by_attr.values()
    labels = np.empty((len(models.by_attr), len(orth)), dtype=np.int32)
    labels[0] = tag_words(first, sentences, lexicon.forms.find(orth)[0])
    known = lexicon.others(orth, labels[0])
    for i, model in enumerate(others):
        labels[i + 1] = tag_words(model, sentences, known[i])
    if len(lexicon.combinations.keys):
        lexicon.combinations.apply([first, *others], sentences, labels)
    return list(labels)
