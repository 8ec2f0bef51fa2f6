"""Candidate trees of training sentences, by parsers that have not seen them.

A ranker has to learn from candidates like those it meets in use. A parser finds better
ones for the sentences it was trained on, so the training data are cut into folds, and
those of each fold come from a parser trained on the others.

Source: Liu et al. 2015, section 3.3.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from .core.model import Model
from .core.ranking.losses import UNKNOWN, GoldHeads
from .core.results import Candidates
from .core.search.beam import BeamSearch
from .core.sentence import Sentence
from .documents import TokenArrays
from .pipeline import NAME, DynOracleParser
from .readers import TOKEN_ATTRIBUTES, copy_annotation
from .skipped import SkippedTrees


@dataclass(frozen=True)
class ParserSettings:
    """The parsers to train.

    lang: code of the language. config: of the component, as in a config file. epochs:
    of training, at least 1. labels: what `label_data` of the parser says that is to
    choose among the candidates later, so that labels have the same numbers.
    """

    lang: str
    config: dict[str, Any]
    epochs: int
    labels: dict[str, Any] = field(default_factory=dict)

    def parser(self) -> DynOracleParser:
        """An untrained parser in a pipeline of its own."""
        nlp = spacy.blank(self.lang)
        parser: DynOracleParser = nlp.add_pipe(NAME, config=self.config)  # type: ignore[assignment]
        return parser

    def digest(self, data: bytes, folds: Sequence[range]) -> str:
        """What tells candidates of these parsers from those of others.

        data: the training data.
        """
        of_folds = [[fold.start, fold.stop] for fold in folds]
        settings = json.dumps([asdict(self), of_folds], sort_keys=True)
        return hashlib.sha256(settings.encode("utf-8") + data).hexdigest()


def search_of(parser: DynOracleParser) -> BeamSearch:
    """The search of a parser. Raises ValueError if it is none with a beam."""
    search = parser.parser.search
    if not isinstance(search, BeamSearch):
        raise ValueError(
            f"candidates come from a beam: the parser needs "
            f"spacy_dynoracle.BeamSearch.v1, not {search!r}"
        )
    return search


@dataclass(frozen=True)
class Material:
    """Sentences with their gold trees, as a parser reads them.

    sentences: its input. golds: heads, and labels by the numbers of its model, -1 where
    they are unknown. is_punctuation: for each word of each sentence.
    """

    sentences: list[Sentence]
    golds: list[GoldHeads]

    @classmethod
    def read(
        cls,
        parser: DynOracleParser,
        docs: Sequence[Doc],
        *,
        with_labels: bool,
        punctuation: bool,
    ) -> Material:
        """The sentences of documents with gold trees.

        with_labels: whether labels count. punctuation: whether words whose POS is PUNCT
        do.
        """
        found = cls([], [])
        reader = parser.recipe.reader(SkippedTrees())
        attributes = list(parser.recipe.sources.values())
        labels = {label: i for i, label in enumerate(parser.label_data["labels"])}
        for doc in docs:
            tokens = TokenArrays(doc, attributes)
            is_scored = None
            for tree in reader.reference_trees(doc):
                heads = [UNKNOWN if head is None else head for head in tree.heads]
                named = [labels.get(label, UNKNOWN) for label in tree.labels]
                if not punctuation:
                    is_scored = np.array([doc[i].pos_ != "PUNCT" for i in tree.words])
                found.sentences.append(tokens.sentence(tree.words))
                found.golds.append(
                    GoldHeads(
                        np.array(heads, dtype=np.int32),
                        np.array(named, dtype=np.int32) if with_labels else None,
                        is_scored,
                    )
                )
        return found
