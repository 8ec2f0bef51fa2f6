"""Warnings about annotation that the features use and documents lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .attribute_table import AttributeTable
from .columns import CLUSTER, CLUSTER_TABLE, TAGS, reader_of
from .surroundings import ASSIGNED, Surroundings


class MissingAnnotation:
    """Finds missing annotation and advises what to do.

    sources: of the columns that the features use, see `spacy_dynoracle.doc.columns`.
    surroundings: the pipeline and the data in which the component was initialized; None
    if they are not known.

    attributes: the attributes that could be missing. Warnings are pairs of one of these
    and a text.
    """

    def __init__(
        self, sources: Sequence[str], surroundings: Surroundings | None = None
    ) -> None:
        self.attributes = reader_of(tuple(sources)).annotation
        self.surroundings = surroundings

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

    def in_pipeline(self) -> Iterator[tuple[str, str]]:
        """Warnings about attributes that training will lack."""
        around = self.surroundings
        if around is None or not around.is_known or not around.has_trees:
            return
        for attribute in self.attributes:
            if attribute in ASSIGNED and not (
                around.may_set_anything
                or around.setters[attribute]
                or attribute in around.on_predicted
            ):
                yield (
                    attribute,
                    f"neither the training data have a {attribute} nor is it set by a "
                    f"component before the parser, {self._advice(attribute, False)}",
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
        around = self.surroundings
        setters = around.setters.get(attribute, []) if around is not None else []
        names = " and ".join(map(repr, setters))
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
