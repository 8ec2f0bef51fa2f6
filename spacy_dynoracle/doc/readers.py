"""A corpus reader that gives the parser its tags in training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.util import registry
from spacy.vocab import Vocab

from .alignment import same_tokens
from .reference import mend_sentence_starts

# Annotation that a corpus may copy. The parser learns heads and sentences.
TOKEN_ATTRIBUTES = ("TAG", "POS", "MORPH", "LEMMA", "NORM")


class TaggedCorpus(Corpus):
    """A spaCy corpus whose predicted documents carry the tags of the references.

    Args:
        attrs: Token attributes to copy, such as "TAG" or "POS". The rest is that of
            `spacy.Corpus.v1`. Tokens that do not align to one gold token get no tag.
            Documents in which some heads are unknown are cut, where they are cut, only
            between words that are known to belong to different sentences.
    """

    def __init__(self, path: Path, *, attrs: list[str], **settings: Any) -> None:
        super().__init__(path, **settings)
        self.attrs = attrs

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield examples from the data."""
        for example in super().__call__(nlp):
            copy_annotation(example, self.attrs)
            yield example

    def read_docbin(self, vocab: Vocab, locs: Iterable[str | Path]) -> Iterator[Doc]:
        """Yield the reference documents."""
        for doc in super().read_docbin(vocab, locs):
            mend_sentence_starts(doc)
            yield doc


def copy_annotation(example: Example, attrs: list[str]) -> None:
    """Copy token attributes from reference to prediction, where tokens align."""
    predicted, reference = example.predicted, example.reference
    for attr in attrs:
        values: np.ndarray
        if same_tokens(example):
            values = reference.to_array([attr]).reshape(-1, 1)
        else:
            values = np.array(
                [value or 0 for value in example.get_aligned(attr)], dtype=np.uint64
            ).reshape(-1, 1)
        if len(predicted):
            predicted.from_array([attr], values.astype(np.uint64))  # type: ignore[arg-type]


@registry.readers("spacy_dynoracle.TaggedCorpus.v1")
def make_tagged_corpus(
    path: Path | None,
    attrs: list[str] = ["TAG", "POS", "MORPH"],  # noqa: B006
    gold_preproc: bool = False,
    max_length: int = 0,
    limit: int = 0,
    augmenter: Callable[..., Any] | None = None,
) -> Callable[[Language], Iterator[Example]]:
    """A corpus whose predicted documents carry gold tags.

    Args:
        path (Path): A .spacy file or a directory of them.
        attrs (list[str]): Attributes to copy from the references, some of TAG, POS,
            MORPH, LEMMA and NORM.
        gold_preproc, max_length, limit, augmenter: As in spacy.Corpus.v1.
    """
    if path is None or not Path(path).exists():
        raise ValueError(
            f"spacy_dynoracle.TaggedCorpus.v1: path = {str(path)!r} does not exist: "
            f"expected a .spacy file or a directory of them"
        )
    unknown = [attr for attr in attrs if attr not in TOKEN_ATTRIBUTES]
    if unknown:
        raise ValueError(
            f"spacy_dynoracle.TaggedCorpus.v1: attrs has {unknown[0]!r}: expected "
            f"{', '.join(TOKEN_ATTRIBUTES)}"
        )
    return TaggedCorpus(
        Path(path),
        attrs=list(attrs),
        gold_preproc=gold_preproc,
        max_length=max_length,
        limit=limit,
        augmenter=augmenter,
    )
