"""Candidate trees of training sentences, by parsers that have not seen the sentences.

A reranker has to learn from candidates like those it meets in use. A parser finds
better candidates for the sentences it was trained on, so the training data are cut into
folds, and the candidates of each fold come from a parser trained on the other folds.

Source: Liu et al. 2015, section 3.3.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.attrs import POS
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_dynoracle.core.results import Candidates
from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.core.state.configuration import RootRule
from spacy_dynoracle.core.state.projectivity import base_label
from spacy_dynoracle.core.state.sentence import Sentence
from spacy_dynoracle.doc.attribute_table import AttributeTable
from spacy_dynoracle.doc.cluster_numbers import CLUSTER_TABLE
from spacy_dynoracle.doc.columns import reader_of, tag_ids
from spacy_dynoracle.doc.own_words import without_annotation
from spacy_dynoracle.doc.readers import TOKEN_ATTRIBUTES, copy_annotation
from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.parser.component import NAME, DynOracleParser
from spacy_dynoracle.parser.gold_trees import AnnotatedTree, GoldReader
from spacy_dynoracle.parser.label_names import LabelNames
from spacy_dynoracle.parser.lookup import trained_model
from spacy_dynoracle.util.folds import check_n_folds, cut_into_folds
from spacy_dynoracle.util.workers import in_processes

from .candidate_files import read_candidates, write_candidates
from .fitting import Example as RankedSentence
from .losses import NEVER_SEEN, UNKNOWN, GoldHeads, losses


@dataclass(frozen=True)
class FoldParserSettings:
    """Settings of the parsers that find candidates for the folds.

    Attributes:
        lang: Code of the language.
        config: Settings of the component, as in a config file.
        epochs: Epochs of training, at least 1.
        labels: The `label_data` of the parser that will choose among the candidates.
        names: The labels of its model, which number those of the candidates; none to
            keep the numbers of the folds' parsers.
        clusters: The word clusters of the pipeline, as the table of its vocab has them.
        temperature: That of its model, if it has one.
    """

    lang: str
    config: dict[str, Any]
    epochs: int
    labels: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    clusters: dict[int, bytes] = field(default_factory=dict)
    temperature: float | None = None

    @classmethod
    def like(
        cls, nlp: Language, parser: DynOracleParser, epochs: int | None = None
    ) -> FoldParserSettings:
        """Settings of parsers like the parser of a pipeline.

        Args:
            epochs: None for as many as in the config of the pipeline.

        Raises:
            PipelineError: If the config does not name the number of epochs.
        """
        whole = nlp.config.interpolate()
        n_epochs = epochs or int(whole["training"].get("max_epochs") or 0)
        if n_epochs < 1:
            raise PipelineError(
                "the config of the pipeline does not say for how many epochs the "
                "parser was trained: use --epochs, or RerankSettings(epochs=...)"
            )
        config: dict[str, Any] = dict(whole["components"][parser.name])
        config.pop("factory", None)
        config["sentences"] = parser.training_recipe().sentences
        if config.get("features") is None:
            # The set that the parser has chosen by the pipeline and the data.
            config["tag_attr"] = parser.tag_attr
            config["features"] = {
                "@misc": "spacy_dynoracle.FeatureTemplates.v1",
                "templates": list(parser.templates.templates),
            }
        clusters = {}
        if CLUSTER_TABLE in nlp.vocab.lookups:
            clusters = dict(nlp.vocab.lookups.get_table(CLUSTER_TABLE))
        labels = parser.label_data or {}
        model = trained_model(parser)
        return cls(
            nlp.lang or "xx", config, n_epochs, labels, tuple(model.labels), clusters,
            model.temperature,
        )  # fmt: skip

    def parser(self) -> DynOracleParser:
        """An untrained parser in a pipeline of its own."""
        nlp = spacy.blank(self.lang)
        if self.clusters:
            nlp.vocab.lookups.add_table(CLUSTER_TABLE, self.clusters)
        parser: DynOracleParser = nlp.add_pipe(NAME, config=self.config)  # type: ignore[assignment]
        return parser

    def digest(self, data: bytes, folds: Sequence[range]) -> str:
        """A digest of the settings, data and folds that make the candidates.

        Args:
            data: The training data.
        """
        of_folds = [[fold.start, fold.stop] for fold in folds]
        settings = json.dumps(
            [asdict(self), of_folds], sort_keys=True, default=bytes.hex
        )
        return hashlib.sha256(settings.encode("utf-8") + data).hexdigest()


def beam_search_of(parser: DynOracleParser) -> BeamSearch:
    """A search with the beam of a parser.

    Raises:
        PipelineError: If it has no beam.
    """
    search = parser.parser.search
    if search.beam_size == 0:
        raise PipelineError(
            f"candidates come from a beam: the parser needs "
            f"spacy_dynoracle.BeamSearch.v1, not {search!r}"
        )
    return BeamSearch(search.beam_size, search.n_best)


class RerankingSet:
    """Sentences with gold trees, as a parser reads them.

    Args:
        parser: An initialized parser.
        docs: Documents with gold trees.
        labelled: Whether labels count in losses.
        punctuation: Whether words whose POS is PUNCT count.

    Attributes:
        sentences: Input of the parser.
        golds: Gold heads, and labels by their numbers among `LabelNames.distinct`.
        missing: Annotation that the parser reads and that no document has, such as
            "LEMMA".
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
        self._labelled = labelled
        self._punctuation = punctuation
        self._names = LabelNames(trained_model(parser), parser.never_govern)
        self._numbers = {label: i for i, label in enumerate(self._names.distinct)}
        projective = parser.recipe.system.projective
        sentences = parser.training_recipe().sentences
        reader = GoldReader(sentences, projective)
        attributes = list(parser.sources.values())
        self.missing = set(reader_of(tuple(attributes)).annotation)
        (punct,) = tag_ids("POS", ["PUNCT"])
        for doc in docs:
            tokens = AttributeTable([doc], attributes)
            self.missing.intersection_update(tokens.missing[0])
            is_word = doc.to_array(POS) != punct
            for tree in reader.reference_trees(doc):
                if tree.problem is not None:
                    continue
                self.sentences.append(tokens.sentence(tree.words))
                self.golds.append(self._gold_heads(tree, is_word[tree.words]))

    def _gold_heads(self, tree: AnnotatedTree, is_word: np.ndarray) -> GoldHeads:
        heads = [UNKNOWN if head is None else head for head in tree.heads]
        labels = [
            UNKNOWN
            if label is None
            else self._numbers.get(base_label(label), NEVER_SEEN)
            for label in tree.labels
        ]
        return GoldHeads(
            np.array(heads, dtype=np.int32),
            np.array(labels, dtype=np.int32) if self._labelled else None,
            None if self._punctuation else is_word,
        )

    @property
    def n_scored_words(self) -> int:
        """The number of words that count in losses."""
        return sum(int(gold.counts().sum()) for gold in self.golds)

    def candidates(self, parser: DynOracleParser) -> list[Candidates]:
        """The trees in the beam of a parser for each sentence.

        The parser gets each gold sentence as one sentence: where the gold tree has one
        root, so have the candidates.
        """
        model, search = trained_model(parser), beam_search_of(parser)
        demanded = parser.parser.single_root
        found: dict[int, Candidates] = {}
        for single_root in (False, True):
            numbers = [
                i
                for i, gold in enumerate(self.golds)
                if ((gold.heads == 0).sum() == 1 if demanded is None else demanded)
                == single_root
            ]
            rule = RootRule.ONE if single_root else RootRule.ANY
            some = [self.sentences[i] for i in numbers]
            parsed = search.candidates(model, some, rule)
            found |= zip(numbers, parsed, strict=True)
        return [found[i] for i in range(len(self.sentences))]

    def written(self, found: Candidates) -> Candidates:
        """Candidates as a parser writes them: lifted arcs are put back, labels that
        never govern have no dependents, and labels have the numbers of `golds`.
        """
        numbers = self._names.numbers_of(found.heads, found.labels).astype(np.int32)
        heads = self._names.restored(found.heads, found.labels)
        return found._replace(heads=heads, labels=numbers)

    def with_losses(self, candidates: Sequence[Candidates]) -> list[RankedSentence]:
        """The sentences with their candidates and the losses of the candidates."""
        return [
            (sentence, found, losses(self.written(found), gold))
            for sentence, found, gold in zip(
                self.sentences, candidates, self.golds, strict=True
            )
        ]


def without_tree(doc: Doc) -> Doc:
    """A copy of a document with the tags that features read, without tree and
    sentences.
    """
    copy = without_annotation(doc)
    copy_annotation(Example(copy, doc), list(TOKEN_ATTRIBUTES))
    return copy


def held_out_candidates(
    docs: Sequence[Doc], fold: range, settings: FoldParserSettings
) -> list[Candidates]:
    """The candidates for the sentences of a fold, by a parser trained on the other
    documents.
    """
    parser = settings.parser()
    examples = [
        Example(without_tree(doc), doc) for i, doc in enumerate(docs) if i not in fold
    ]
    parser.initialize(lambda: examples, labels=settings.labels)
    run = parser.training_run()
    predicted = [example.predicted for example in examples]
    attributes = list(parser.sources.values())
    trees = run.usable(run.read(examples, AttributeTable(predicted, attributes)))
    run.add_actions(trees)
    for epoch in range(1, settings.epochs + 1):
        run.train(trees, epoch)
    # With a temperature, beams add logarithms of probabilities, without one raw scores:
    # candidates are like those in use only if both parsers do the same.
    parser.set_model(parser.frozen_model().with_temperature(settings.temperature))
    found = RerankingSet(parser, [docs[i] for i in fold]).candidates(parser)
    if not settings.names:
        return found
    numbers = {label: i for i, label in enumerate(settings.names)}
    # A label that the chooser does not have is none; so is -1, at the end.
    own = [numbers.get(label, -1) for label in trained_model(parser).labels]
    translation = np.array([*own, -1], dtype=np.int32)
    return [each._replace(labels=translation[each.labels]) for each in found]


def _write_fold(
    fold: range, file: Path, data: bytes, settings: FoldParserSettings, digest: str
) -> None:
    """Write the candidates of a fold to their file.

    Args:
        data: The documents, as the bytes of a DocBin.
        digest: Digest of all that makes the candidates.
    """
    docs = list(DocBin().from_bytes(data).get_docs(settings.parser().vocab))
    write_candidates(file, digest, held_out_candidates(docs, fold, settings))


def make_candidates(
    docs: Sequence[Doc],
    settings: FoldParserSettings,
    n_folds: int,
    directory: Path,
    n_jobs: int = 1,
    advance: Callable[[int], None] = lambda n: None,
) -> list[Candidates]:
    """The candidates for the sentences of documents, by parsers that have not seen the
    document.

    The result does not depend on n_jobs, nor on interruptions.

    Args:
        docs: Documents with gold trees.
        n_folds: From 2 to the number of documents.
        directory: Keeps the candidates of each fold; candidates that are there already
            are not made again.
        n_jobs: Number of processes.
        advance: Told of each fold that is done.

    Raises:
        ValueError: For impossible settings.
        CandidateFileError: For files made from something else.
    """
    check_n_folds(n_folds, len(docs))
    beam_search_of(settings.parser())
    folds = cut_into_folds([len(doc) for doc in docs], n_folds)
    data = DocBin(docs=docs).to_bytes()
    digest = settings.digest(data, folds)
    directory.mkdir(parents=True, exist_ok=True)
    # A file exists when it is complete.
    files = [
        directory / f"fold-{number:02d}-of-{n_folds:02d}.msgpack.gz"
        for number in range(1, n_folds + 1)
    ]
    # A file of something else is refused before any parser is trained.
    for file in filter(Path.exists, files):
        read_candidates(file, digest)
        advance(1)
    missing = [
        (fold, file, data, settings, digest)
        for fold, file in zip(folds, files, strict=True)
        if not file.exists()
    ]
    n_jobs = max(1, min(n_jobs, len(missing)))
    for _ in in_processes(_write_fold, missing, n_jobs):
        advance(1)
    return [candidates for f in files for candidates in read_candidates(f, digest)]
