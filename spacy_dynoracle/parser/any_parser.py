"""The base class of parsers and of committees of parsers."""

from abc import abstractmethod
from collections.abc import Iterable

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..components.base import Component
from ..doc.borders import TREE, write_tokens
from ..util.texts import SEVERAL
from .annotations import Annotations


class AnyParser(Component):
    """A component that writes trees to documents.

    kind: "parser" or "committee".
    """

    @abstractmethod
    def introduce_labels(self, vocab: Vocab) -> None:
        """Make the labels of the model, if there is one, known to a vocab."""

    @abstractmethod
    def ask_for(self, probabilities: str) -> None:
        """Let parses come with probabilities.

        Args:
            probabilities: "transition" or "marginal". Marginals are drawn as often as
                the config says, or 64 times.

        Raises:
            ValueError: If the component does not have them.
        """

    def _check_boundaries(self, docs: Iterable[Doc]) -> None:
        """Warn once of a text that looks like several sentences, of which nobody has
        said where they end: it gets one tree.
        """
        if "boundaries" in self._warned:
            return
        for doc in docs:
            if not doc.has_annotation("SENT_START") and SEVERAL.search(doc.text):
                self._warn(
                    "boundaries",
                    f"{doc.text[:60]!r} has no sentence boundaries, so that it is "
                    f"parsed as one sentence: put a component that sets them before "
                    f"{self.name!r} (dynoracle_senter or senter of a trained pipeline, "
                    f"or sentencizer; enabled), or set token.is_sent_start where "
                    f"sentences begin",
                )
                return

    def set_annotations(
        self, docs: Iterable[Doc], annotations: list[Annotations]
    ) -> None:
        """Write heads, labels and sentence boundaries to the documents."""
        docs = list(docs)
        for vocab in dict.fromkeys(doc.vocab for doc in docs):
            self.introduce_labels(vocab)
        write_tokens(docs, TREE, [annotation.table for annotation in annotations])
        for doc, annotation in zip(docs, annotations, strict=True):
            annotation.keep_records(doc)
            # A Doc that was made before its vocab knew the labels has another one.
            doc.noun_chunks_iterator = doc.vocab.get_noun_chunks  # type: ignore[attr-defined]
