"""What parsers and committees of parsers have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..components.base import Component
from ..doc.borders import TREE, write_tokens
from .annotations import Annotations


class AnyParser(Component):
    """A component that writes trees to documents.

    kind: "parser" or "committee".

    Attributes:
        is_one_parser: Whether its trees come from derivations of one model; those of a
            committee come from votes.
    """

    is_one_parser = True

    @abstractmethod
    def introduce_labels(self, vocab: Vocab) -> None:
        """Make the labels of the model, if there is one, known to a vocab."""

    @abstractmethod
    def ask_for(self, probabilities: str, n_samples: int | None = None) -> None:
        """Let parses come with probabilities.

        Args:
            probabilities: "transition" or "marginal".
            n_samples: Derivations drawn of each sentence, for marginals; None for as
                many as in the config, or 64.

        Raises:
            ValueError: If the component does not have them.
        """

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
