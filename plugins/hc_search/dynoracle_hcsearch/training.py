"""Training a reranker for a parser with a beam.

The candidates of the training sentences come from parsers that have not seen the
sentences (`candidates`). The reranker learns from their losses which of several trees
is best; its share in the final score is chosen on development data.

Source: Liu, Che, Qin & Liu 2015, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from spacy_dynoracle.core.search.beam_search import BeamSearch
from spacy_dynoracle.doc.columns import source_of
from spacy_dynoracle.errors import PipelineError
from spacy_dynoracle.parser.component import DynOracleParser
from spacy_dynoracle.parser.lookup import find_parser, trained_model
from spacy_dynoracle.util.config_errors import check_choice
from spacy_dynoracle.util.progress import Progress, no_progress

from .candidates import (
    FoldParserSettings,
    RerankingSet,
    beam_search_of,
    make_candidates,
)
from .documents import Documents, name_of, read_documents, replace_with_pipeline_tags
from .features import reranking_templates
from .fitting import Example as RankedSentence
from .fitting import Round, rounds
from .ranker import Ranker
from .search import PART, HCSearch
from .templates import RankingTemplates
from .trainer import GROUPS, RankerTrainer
from .word_classes import word_classes


@dataclass(frozen=True)
class RerankSettings:
    """Settings of a reranker and of its training.

    Attributes:
        features: Features of whole trees: the name of a set, "liu2015", "global",
            "lemmas" or "rich", or a file with a template or the name of a set on each
            line.
        groups: "fine" ranks the candidates of every loss above all worse ones, "coarse"
            only the best ones.
        n_rounds: Rounds of training on the candidates; the best round on the
            development data counts.
        n_folds: Folds of the training data, each parsed by a parser trained on the
            others.
        epochs: Epochs of these parsers, None for as many as in the config of the
            pipeline.
        labelled: Whether a wrong label is a loss as well.
        punctuation: Whether heads of punctuation count.
        mixture: Whether the scores of search and reranker are mixed, or the reranker
            decides alone.
        seed: Seeds the order in which candidates are compared.

    Raises:
        ValueError: For values that are not possible.
    """

    features: str = "liu2015"
    groups: str = "fine"
    n_rounds: int = 10
    n_folds: int = 20
    epochs: int | None = None
    labelled: bool = False
    punctuation: bool = True
    mixture: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("groups", self.groups, GROUPS)
        for name, least in (("n_rounds", 1), ("n_folds", 2), ("epochs", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} = {value}: expected at least {least}")


class RerankExamples(NamedTuple):
    """Sentences with candidates and their losses, to train and to choose a reranker on.

    Attributes:
        training: Candidates by parsers that have not seen the sentences.
        development: Candidates by the parser itself, which was not trained on the
            sentences.
        templates: Features of whole trees.
        n_words: Scored words of the development data.
    """

    training: list[RankedSentence]
    development: list[RankedSentence]
    templates: tuple[str, ...]
    n_words: int

    @property
    def first_loss(self) -> int:
        """Loss of the trees that the search puts first, on the development data."""
        return int(sum(loss[0] for _, _, loss in self.development if len(loss)))

    @property
    def least_loss(self) -> int:
        """Loss of the best candidates of the development data."""
        return int(sum(np.min(loss) for _, _, loss in self.development if len(loss)))


@dataclass(frozen=True)
class RerankResult:
    """A trained reranker and its scores on the development data.

    Attributes:
        nlp: The pipeline, whose parser now uses the reranker.
        reranker: Weights of the best round.
        settings: Settings of the training.
        examples: What the reranker was trained and chosen on.
        rounds: The reranker after each round, with its losses on the development data.
        best: The round whose reranker was taken.
    """

    nlp: Language
    reranker: Ranker
    settings: RerankSettings
    examples: RerankExamples
    rounds: tuple[Round, ...]
    best: Round

    def score(self, loss: int) -> float:
        """The share of the words of the development data without a loss."""
        return 1 - loss / max(self.examples.n_words, 1)

    def as_dict(self) -> dict[str, Any]:
        """The scores as values for JSON, fractions of 1."""
        return {
            "words": self.examples.n_words,
            "search_alone": self.score(self.examples.first_loss),
            "best_candidates": self.score(self.examples.least_loss),
            "rounds": [
                {
                    "number": each.number,
                    "reranker": self.score(each.loss),
                    "mixture": self.score(each.mixture_loss),
                    "share_of_search": each.ranker.alpha,
                    "updates": each.n_updates,
                    "pairs": each.n_pairs,
                }
                for each in self.rounds
            ],
            "best_round": self.best.number,
        }


def train(
    nlp: Language,
    training: Documents,
    development: Documents,
    settings: RerankSettings | None = None,
    *,
    directory: str | Path,
    n_jobs: int = 1,
    gold_tags: bool = True,
    progress: Progress = no_progress,
) -> RerankResult:
    """Train a reranker for the parser of a pipeline, and let the parser use it.

    Args:
        nlp: A pipeline whose parser was trained with BeamSearch; afterwards the parser
            searches with HCSearch, also in the config. If the training fails, the
            pipeline stays as it was.
        training: What the parser was trained on.
        development: Data that it was not trained on. Both are files (.conllu, .conll,
            .spacy) or documents with gold trees.
        directory: Keeps the candidates of each fold, so that an interrupted training
            goes on with the folds that are missing.
        n_jobs: Parsers trained at a time.
        gold_tags: Whether the development data keep their tags; otherwise the pipeline
            tags them.

    Raises:
        PipelineError: For a parser without beam or tags.
        TreebankError: For files that cannot be read.
        CandidateFileError: For candidates made from something else.
        ValueError: For impossible settings.
    """
    settings = settings or RerankSettings()
    parser = find_parser(nlp)
    search, own_model = beam_search_of(parser), trained_model(parser)
    sources = (training, development)
    try:
        data = _examples(
            nlp, parser, sources, settings, Path(directory), n_jobs, gold_tags, progress
        )
        trainer = new_trainer(parser, data.templates, settings)
        found = rounds(trainer, data.training, data.development, settings.n_rounds)
        trained = []
        with progress("rounds of training") as advance:
            for each in found:
                trained.append(each)
                advance(1)
    except BaseException:
        parser.replace_model(own_model)
        raise
    # The first of equally good rounds.
    loss = "mixture_loss" if settings.mixture else "loss"
    best = min(trained, key=attrgetter(loss))
    reranker = best.ranker if settings.mixture else best.ranker.with_alpha(0.0)
    use_reranker(nlp, parser, reranker, search)
    return RerankResult(nlp, reranker, settings, data, tuple(trained), best)


def _examples(
    nlp: Language,
    parser: DynOracleParser,
    sources: tuple[Documents, Documents],
    settings: RerankSettings,
    directory: Path,
    n_jobs: int,
    gold_tags: bool,
    progress: Progress,
) -> RerankExamples:
    """Sentences with candidates and losses; the parser is prepared for a reranker."""
    fold_parsers = FoldParserSettings.like(nlp, parser, settings.epochs)
    docs, development_docs = (read_documents(nlp, source) for source in sources)
    templates = reranking_templates(settings.features, docs, tag_attr_of(parser))
    if not gold_tags:
        replace_with_pipeline_tags(nlp, development_docs)
    prepare(parser, templates)
    training_set, development_set = (
        RerankingSet(
            parser,
            some,
            labelled=settings.labelled,
            punctuation=settings.punctuation,
        )
        for some in (docs, development_docs)
    )
    _check_annotation(training_set, name_of(sources[0], "the training data"))
    _check_annotation(development_set, name_of(sources[1], "the development data"))
    with progress("folds parsed") as advance:
        found = make_candidates(
            docs, fold_parsers, settings.n_folds, directory, n_jobs, advance
        )
    return RerankExamples(
        training_set.with_losses(found),
        development_set.with_losses(development_set.candidates(parser)),
        templates,
        development_set.n_scored_words,
    )


def _check_annotation(sentences: RerankingSet, name: str) -> None:
    """Raise ValueError if all sentences lack heads or what features read."""
    if not sentences.n_scored_words:
        raise ValueError(
            f"{name}: no word has a HEAD that can be used, and trees are needed to "
            "train a reranker and to choose it: annotate some"
        )
    if sentences.missing:
        missing = " and ".join(sorted(sentences.missing))
        raise ValueError(
            f"{name}: no token has a {missing}, which the parser or the features of "
            f"the reranker use: add it to the data, or choose other features"
        )


def tag_attr_of(parser: DynOracleParser) -> str:
    """The token attribute with the tags that a reranker reads.

    Raises:
        PipelineError: If the parser has none.
    """
    if parser.tag_attr is None:
        raise PipelineError(
            "a reranker needs tags, but the parser has tag_attr = null: train it with "
            'tag_attr = "TAG" or "POS"'
        )
    return parser.tag_attr


def new_trainer(
    parser: DynOracleParser,
    templates: Sequence[str],
    settings: RerankSettings | None = None,
) -> RankerTrainer:
    """The training state of a reranker that has learned nothing.

    Raises:
        PipelineError: For a parser without tags.
    """
    settings = settings or RerankSettings()
    parsed = RankingTemplates(templates)
    return RankerTrainer(
        parsed,
        parsed.behind(parser.templates.columns),
        word_classes(tag_attr_of(parser)),
        settings.groups,
        settings.seed,
    )


def prepare(parser: DynOracleParser, templates: Sequence[str]) -> None:
    """Let a trained parser read all columns of documents that its reranker will need.

    The parser gets a reranker without weights.

    Raises:
        PipelineError: For a parser without tags.
    """
    reranker = new_trainer(parser, templates).freeze()
    sources = {name: source_of(name, tag_attr_of(parser)) for name in reranker.columns}
    parser.replace_model(trained_model(parser).with_part(PART, reranker, sources))


def use_reranker(
    nlp: Language, parser: DynOracleParser, reranker: Ranker, search: BeamSearch
) -> None:
    """Let the parser of a pipeline, and its config, search with a reranker."""
    parser.replace_model(trained_model(parser).with_part(PART, reranker))
    parser.change(search=HCSearch(search.beam_size, search.n_best))
    # The config that is stored with the pipeline.
    nlp.get_pipe_config(parser.name)["search"] = {
        "@misc": "spacy_dynoracle.HCSearch.v1",
        "beam_size": search.beam_size,
        "n_best": search.n_best,
    }
