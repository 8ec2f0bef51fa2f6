"""Warnings about annotation that the features use and documents lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from spacy.language import Language
from spacy.training import Example

from .attribute_table import AttributeTable
from .columns import CLUSTER, CLUSTER_TABLE, TAGS, reader_of

# What components that set an attribute state among what they assign.
ASSIGNED = {
    "TAG": "token.tag",
    "POS": "token.pos",
    "LEMMA": "token.lemma",
    "MORPH": "token.morph",
}


class MissingAnnotation:
    """Finds missing annotation and advises what to do.

    sources: of the columns that the features use, see `spacy_dynoracle.doc.columns`.

    attributes: what could be missing. Warnings are pairs of one of these and a text.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.attributes = reader_of(tuple(sources)).annotation
        # The components that set an attribute, as far as is known.
        self._setters: dict[str, list[str]] = {}
        # Attributes that no example has and no component sets.
        self._unseen: set[str] = set()

    def in_batch(
        self, tokens: AttributeTable, in_training: bool
    ) -> Iterator[tuple[str, str]]:
        """Warnings about attributes that documents lack. Documents without words lack
        none."""
        if not any(tokens.missing):
            return
        with_words = [
            (doc, missing)
            for doc, missing, (start, end) in zip(
                tokens.docs, tokens.missing, pairwise(tokens.word_bounds), strict=True
            )
            if start < end
        ]
        for attribute in self.attributes:
            bare = [doc for doc, missing in with_words if attribute in missing]
            if not bare:
                continue
            who = f"no token has a {attribute}"
            if len(bare) < len(with_words):
                who = (
                    f"{len(bare)} of {len(with_words)} documents have no {attribute} "
                    f"(the first is {bare[0].text[:60]!r})"
                )
            yield attribute, f"{who}, {self._advice(attribute, in_training)}"

    def watch(
        self, nlp: Language, component: object, examples: Iterable[Example]
    ) -> Iterator[Example]:
        """Look at the pipeline in which a component is initialized, and at the
        predicted side of its examples as they pass by."""
        self._setters = {attribute: [] for attribute in self.attributes}
        self._unseen = set(self._setters) & set(ASSIGNED)
        for name, other in nlp.pipeline:
            if other is component:
                break
            assigned = nlp.get_pipe_meta(name).assigns
            if not assigned:
                # It may set anything.
                self._unseen.clear()
            for attribute, setters in self._setters.items():
                if ASSIGNED.get(attribute, "") in assigned:
                    setters.append(name)
                    self._unseen.discard(attribute)
        is_data = False
        for example in examples:
            # Commands that only put a pipeline together give an example without a tree.
            is_data = is_data or example.reference.has_annotation("DEP")
            for attribute in tuple(self._unseen):
                if example.predicted.has_annotation(attribute):
                    self._unseen.discard(attribute)
            yield example
        if not is_data:
            self._unseen.clear()

    def in_pipeline(self) -> Iterator[tuple[str, str]]:
        """Warnings about attributes that training will lack, after `watch`."""
        for attribute in self.attributes:
            if attribute in self._unseen:
                who = f"neither the training data have a {attribute} nor is it set by "
                yield (
                    attribute,
                    f"{who}a component before the parser, "
                    f"{self._advice(attribute, False)}",
                )

    def _advice(self, attribute: str, in_training: bool) -> str:
        """The advice for a missing attribute."""
        if attribute == CLUSTER:
            return (
                f"which the features use: add the table {CLUSTER_TABLE!r} to the "
                f"lookups of the vocab"
            )
        otherwise = (
            f"or read the corpus with spacy_dynoracle.TaggedCorpus.v1 and attrs = "
            f'["{attribute}"]'
        )
        last = "set tag_attr = null" if attribute in TAGS else "choose other features"
        names = " and ".join(map(repr, self._setters.get(attribute, [])))
        if in_training and names:
            return (
                f"which the features use: {names} would set it, but is not among the "
                f"annotating_components of [training]; name it there, {otherwise}, or "
                f"{last}"
            )
        return (
            f"which the features use: put a component that sets it before the parser "
            f"(in training also into annotating_components, {otherwise}), or {last}"
        )
