"""Warnings about annotation that the features use and documents lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from spacy.language import Language
from spacy.training import Example

from .attribute_table import AttributeTable
from .columns import CLUSTER, CLUSTER_TABLE, TAGS, reader_of

# The entry of `assigns` by which a component states that it sets an attribute.
ASSIGNED = {
    "TAG": "token.tag",
    "POS": "token.pos",
    "LEMMA": "token.lemma",
    "MORPH": "token.morph",
}


class MissingAnnotation:
    """Finds missing annotation and advises what to do.

    sources: sources of the columns that the features use; see
    `spacy_dynoracle.doc.columns`. attributes: the attributes that could be missing. A
    warning is a pair of an attribute and a text.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self.attributes = reader_of(tuple(sources)).annotation
        # The names of the components that state that they set an attribute.
        self._setters: dict[str, list[str]] = {}
        # Attributes that no example has and no component sets.
        self._unseen: set[str] = set()

    def in_batch(
        self, tokens: AttributeTable, in_training: bool
    ) -> Iterator[tuple[str, str]]:
        """Warnings about attributes that documents lack. Documents without words need
        no attribute."""
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
            problem = f"no token has a {attribute}"
            if len(bare) < len(with_words):
                problem = (
                    f"{len(bare)} of {len(with_words)} documents have no {attribute} "
                    f"(the first is {bare[0].text[:60]!r})"
                )
            advice = self._advice(attribute, in_training)
            yield attribute, f"{problem}, which the features use: {advice}"

    def watch(
        self, nlp: Language, component: object, examples: Iterable[Example]
    ) -> Iterator[Example]:
        """Yield the examples with which a component is initialized, and record which
        attributes the pipeline and the predicted Docs have."""
        self._setters = {attribute: [] for attribute in self.attributes}
        self._unseen = set(self._setters) & set(ASSIGNED)
        for name, other in nlp.pipeline:
            if other is component:
                break
            assigned = nlp.get_pipe_meta(name).assigns
            if not assigned:
                # A component that states nothing may set any attribute.
                self._unseen.clear()
            for attribute, setters in self._setters.items():
                if ASSIGNED.get(attribute, "") in assigned:
                    setters.append(name)
                    self._unseen.discard(attribute)
        is_data = False
        for example in examples:
            # Commands that only assemble a pipeline pass an example without a tree.
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
                yield (
                    attribute,
                    f"the features use {attribute}, but the training data do not have "
                    f"it and no component before the parser sets it: "
                    f"{self._advice(attribute, False)}",
                )

    def _advice(self, attribute: str, in_training: bool) -> str:
        """The advice for a missing attribute."""
        if attribute == CLUSTER:
            return f"add the table {CLUSTER_TABLE!r} to the lookups of the vocab"
        corpus = (
            f"read the corpus with spacy_dynoracle.TaggedCorpus.v1 and attrs = "
            f'["{attribute}"]'
        )
        last = "set tag_attr = null" if attribute in TAGS else "choose other features"
        names = " or ".join(map(repr, self._setters.get(attribute, [])))
        if in_training and names:
            return (
                f"add {names}, which sets it, to annotating_components of [training], "
                f"or {corpus}, or {last}"
            )
        return (
            f"put a component that sets it before the parser (in training, also add it "
            f"to annotating_components, or {corpus}), or {last}"
        )
