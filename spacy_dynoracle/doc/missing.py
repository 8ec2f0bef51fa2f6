"""Warnings about annotation that the features use and documents lack."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .attribute_table import AttributeTable
from .columns import CLUSTER, TAGS, reader_of
from .surroundings import ASSIGNED, Surroundings

ADD_CLUSTERS = (
    "add word clusters to the vocab, as ClusterTable.v1 does in [initialize.lookups], "
    "or add your components to the trained pipeline"
)


class MissingAnnotation:
    """Finds missing annotation and advises what to do.

    Args:
        sources: Sources of the columns that the features use; see
            `spacy_dynoracle.doc.columns`.
        surroundings: The pipeline and the data in which the component was initialized;
            None if they are not known.

    Attributes:
        attributes: The attributes that could be missing. A warning is a pair of an
            attribute and a text.
    """

    def __init__(
        self, sources: Sequence[str], surroundings: Surroundings | None = None
    ) -> None:
        self.attributes = reader_of(tuple(sources)).annotation
        self.surroundings = surroundings

    def in_batch(
        self, tokens: AttributeTable, in_training: bool
    ) -> Iterator[tuple[str, str]]:
        """Warnings about attributes that documents lack.

        Documents without words need no attribute. If other documents have MORPH, one
        without it is a sentence whose words have no features, as CoNLL-U has them.
        """
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
            if not bare or (attribute == "MORPH" and len(bare) < len(with_words)):
                continue
            yield (
                attribute,
                f"no token has a {attribute}, which the features use, in {len(bare)} "
                f"of {len(with_words)} documents (the first is "
                f"{bare[0].text[:60]!r}): {self._advice(attribute, in_training)}",
            )

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
                    f"the features use {attribute}, but the training data do not have "
                    f"it and no component before the parser sets it: "
                    f"{self._advice(attribute, False)}",
                )

    def _advice(self, attribute: str, in_training: bool) -> str:
        """The advice for a missing attribute."""
        if attribute == CLUSTER:
            return ADD_CLUSTERS
        corpus = (
            f"read the corpus with spacy_dynoracle.TaggedCorpus.v1 and attrs = "
            f'["{attribute}"]'
        )
        last = (
            "train with tag_attr = null"
            if attribute in TAGS
            else "choose other features"
        )
        around = self.surroundings
        setters = around.setters.get(attribute, []) if around is not None else []
        names = " or ".join(map(repr, setters))
        if in_training and names:
            return (
                f"add {names}, which sets it, to annotating_components of [training], "
                f"or {corpus}, or {last}"
            )
        return (
            f"put a component that sets it before the parser (in training, also add it "
            f"to annotating_components or to `annotates` of nlp.update, or {corpus}), "
            f"or {last}"
        )
