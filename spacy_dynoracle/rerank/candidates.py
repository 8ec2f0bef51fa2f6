"""Candidate trees of training sentences, by parsers that have not seen them.

A ranker has to learn from candidates like those it meets in use. A parser finds better
ones for the sentences it was trained on, so the training data are cut into folds, and
those of each fold come from a parser trained on the others.

Source: Liu et al. 2015, section 3.3.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.attrs import POS
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from ..components.skipped import SkippedTrees
from ..core.model.model import Model
from ..core.reranking.losses import UNKNOWN, GoldHeads
from ..core.results import Candidates
from ..core.search.beam_search import BeamSearch
from ..core.state.configuration import RootRule
from ..core.state.sentence import Sentence
from ..doc.columns import reader_of, tag_ids
from ..doc.readers import TOKEN_ATTRIBUTES, copy_annotation
from ..doc.token_arrays import TokenArrays
from ..parser.component import NAME, DynOracleParser
from ..tagger.jackknife import cut
from .candidate_files import read_candidates, write_candidates


def model_of(parser: DynOracleParser) -> Model:
    """The model of a parser. Raises ValueError if it has none yet."""
    if parser.model is None:
        raise ValueError(f"the parser {parser.name!r} has no model yet: train it first")
    return parser.model


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


class Material:
    """Sentences with their gold trees, as a parser reads them.

    parser: an initialized parser. docs: with gold trees. labelled: whether labels count
    in losses. punctuation: whether words whose POS is PUNCT do.

    sentences: the parser's input. golds: heads, and labels by the numbers of its model.
    missing: what the sentences are made from and no document has, such as "LEMMA".
    """

    def __init__(
        self,
        parser: DynOracleParser,
        docs: Sequence[Doc],
        *,
        labelled: bool = False,
        punctuation: bool = True,
    ) -> None:
        self.sentences: list[Sentence] = []
        self.golds: list[GoldHeads] = []
        reader = parser.recipe.reader(SkippedTrees())
        attributes = list(parser.sources.values())
        self.missing = set(reader_of(tuple(attributes)).annotation)
        names = model_of(parser).labels
        (punct,) = tag_ids("POS", ["PUNCT"])
        for doc in docs:
            tokens = TokenArrays(doc, attributes)
            self.missing.intersection_update(tokens.missing)
            is_word = doc.to_array(POS) != punct
            for tree in reader.reference_trees(doc):
                heads = [UNKNOWN if head is None else head for head in tree.heads]
                labels = [names.find(label) for label in tree.labels]
                self.sentences.append(tokens.sentence(tree.words))
                self.golds.append(
                    GoldHeads(
                        np.array(heads, dtype=np.int32),
                        np.array(labels, dtype=np.int32) if labelled else None,
                        None if punctuation else is_word[tree.words],
                    )
                )

    def candidates(self, parser: DynOracleParser) -> list[Candidates]:
        """What the beam of a parser finds for the sentences.

        Gold sentences are given to it as sentences: where the gold tree has one root,
        so have the candidates.
        """
        model, search = model_of(parser), search_of(parser)
        single = parser.parser.single_root
        found: dict[int, Candidates] = {}
        for one_root in (False, True):
            numbers = [
                i
                for i, gold in enumerate(self.golds)
                if ((gold.heads == 0).sum() == 1 if single is None else single)
                == one_root
            ]
            rule = RootRule.ONE if one_root else RootRule.ANY
            some = [self.sentences[i] for i in numbers]
            parsed = search.candidates(model, some, rule)
            found |= zip(numbers, parsed, strict=True)
        return [found[i] for i in range(len(self.sentences))]


def unparsed(doc: Doc) -> Doc:
    """A copy of a document with what features read, without tree and sentences."""
    words = [token.text for token in doc]
    copy = Doc(doc.vocab, words=words, spaces=[bool(t.whitespace_) for t in doc])
    copy_annotation(Example(copy, doc), list(TOKEN_ATTRIBUTES))
    return copy


def held_out_candidates(
    docs: Sequence[Doc], fold: range, settings: ParserSettings
) -> list[Candidates]:
    """The candidates for the sentences of a fold, by a parser trained on the other
    documents."""
    parser = settings.parser()
    examples = [
        Example(unparsed(doc), doc) for i, doc in enumerate(docs) if i not in fold
    ]
    parser.initialize(lambda: examples, labels=settings.labels)
    run = parser.training_run()
    predicted = [example.predicted for example in examples]
    attributes = list(parser.recipe.sources.values())
    tokens = [TokenArrays(doc, attributes) for doc in predicted]
    data = run.read(examples, tokens)
    for epoch in range(1, settings.epochs + 1):
        run.learn(data, epoch)
    parser.set_model(parser.frozen_model())
    return Material(parser, [docs[i] for i in fold]).candidates(parser)


class Worker:
    """A process that finds the candidates of folds.

    data: the documents, as the bytes of a DocBin. digest: of all that the candidates
    are made from. directory: where they are written to.
    """

    current: Worker

    def __init__(
        self,
        data: bytes,
        folds: list[range],
        settings: ParserSettings,
        digest: str,
        directory: Path,
    ) -> None:
        vocab = settings.parser().vocab
        self.docs = list(DocBin().from_bytes(data).get_docs(vocab))
        self.folds = folds
        self.settings = settings
        self.digest = digest
        self.directory = directory

    @classmethod
    def start(cls, *arguments: Any) -> None:
        """Make the worker of this process."""
        Worker.current = cls(*arguments)

    @staticmethod
    def make(number: int) -> None:
        """Write the candidates of a fold."""
        self = Worker.current
        found = held_out_candidates(self.docs, self.folds[number], self.settings)
        path = fold_file(self.directory, number, len(self.folds))
        write_candidates(path, self.digest, found)


def fold_file(directory: Path, number: int, n_folds: int) -> Path:
    """Where the candidates of a fold are, once they are complete."""
    return directory / f"fold-{number + 1:02d}-of-{n_folds:02d}.npz"


def make_candidates(
    docs: Sequence[Doc],
    settings: ParserSettings,
    n_folds: int,
    directory: Path,
    n_jobs: int = 1,
    advance: Callable[[int], None] = lambda n: None,
) -> list[Candidates]:
    """The candidates for the sentences of documents, by parsers that have not seen the
    document.

    docs: with gold trees. n_folds: from 2 to the number of documents. directory: keeps
    the candidates of each fold; those that are there already are not made again.
    n_jobs: processes. advance: told of each fold that is done.

    The result does not depend on n_jobs, nor on interruptions. Raises ValueError for
    impossible settings, CandidateFileError for files made from something else.
    """
    if not 2 <= n_folds <= len(docs):
        raise ValueError(
            f"{n_folds} folds of {len(docs)} documents: expected at least 2, and at "
            f"least one document in each"
        )
    search_of(settings.parser())
    folds = cut([len(doc) for doc in docs], n_folds)
    data = DocBin(docs=docs).to_bytes()
    digest = settings.digest(data, folds)
    directory.mkdir(parents=True, exist_ok=True)
    files = [fold_file(directory, number, n_folds) for number in range(n_folds)]
    for file in filter(Path.exists, files):
        read_candidates(file, digest)
        advance(1)
    missing = [number for number, file in enumerate(files) if not file.exists()]
    arguments = (data, folds, settings, digest, directory)
    if n_jobs == 1 and missing:
        Worker.start(*arguments)
        for number in missing:
            Worker.make(number)
            advance(1)
    elif missing:
        context = multiprocessing.get_context("spawn")
        n_workers = min(n_jobs, len(missing))
        with ProcessPoolExecutor(n_workers, context, Worker.start, arguments) as pool:
            try:
                for _ in pool.map(Worker.make, missing):
                    advance(1)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [found for file in files for found in read_candidates(file, digest)]
