"""Scores of a spaCy pipeline on a treebank file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..errors import PipelineError
from ..treebank import TreebankSentence, heads_and_labels
from ..treebank.pipelines import check_parsed, file_has_tags, parsed_batches
from .attachment import DEFAULT_EXCLUSION, Evaluation, Scores
from .conll2018 import TextEvaluation, TextScore, score_texts
from .errors import ErrorAnalysis
from .systems import (
    OnProgress,
    aligned_parses,
    checked_paragraphs,
    read_pair,
)
from .texts import text_of


@dataclass(frozen=True)
class EvaluationResult:
    """The scores of a pipeline on the words and sentences of a treebank file.

    treebank: the file. gold_tags: whether the pipeline got the tags of the file.
    n_words: all words that were parsed. seconds: time of the pipeline, without loading,
        reading, making Docs and scoring.
    scores: by definition of scored words, a key of SCORED_WORDS.
    conll2018: scores of tags, and of trees with tags, as the CoNLL 2018 shared task
        defines them; empty if the pipeline got the tags of the file.
    errors: None unless it was asked for.
    """

    treebank: str
    gold_tags: bool
    n_words: int
    seconds: float
    scores: Mapping[str, Scores]
    conll2018: Mapping[str, TextScore] = field(default_factory=dict)
    errors: ErrorAnalysis | None = None

    @property
    def words_per_second(self) -> float:
        """The speed of the pipeline."""
        return self.n_words / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            "gold_tags": self.gold_tags,
            "words_per_second": round(self.words_per_second, 1),
            "scores": _plain(self.scores),
            "conll2018": _plain(self.conll2018),
        }


@dataclass(frozen=True)
class FileEvaluationResult:
    """The scores of a file with parses of the text of a treebank.

    treebank, predicted: the files. n_words: words in the parses.
    scores: by measure of the CoNLL 2018 shared task, from Tokens to BLEX.
    errors: None unless it was asked for.
    """

    treebank: str
    predicted: str
    n_words: int
    scores: Mapping[str, TextScore]
    errors: ErrorAnalysis | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            "predicted": self.predicted,
            "scores": _plain(self.scores),
        }


@dataclass(frozen=True)
class TextEvaluationResult:
    """The scores of a pipeline on the raw text of a treebank file.

    treebank: the file. n_words: words that the pipeline found. seconds: time of the
        pipeline, without loading, reading and scoring.
    scores: by measure: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas,
        UAS, LAS, CLAS, MLAS and BLEX. A measure of what the pipeline does not set is
        left out.
    errors: None unless it was asked for.
    """

    treebank: str
    n_words: int
    seconds: float
    scores: Mapping[str, TextScore]
    errors: ErrorAnalysis | None = None

    @property
    def words_per_second(self) -> float:
        """The speed of the pipeline."""
        return self.n_words / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            "from_text": True,
            "words_per_second": round(self.words_per_second, 1),
            "scores": _plain(self.scores),
        }


def _plain(scores: Mapping[str, Scores] | Mapping[str, TextScore]) -> dict[str, Any]:
    return {name: score.as_dict() for name, score in scores.items()}


def evaluate(
    nlp: Language,
    treebank: str | Path,
    *,
    gold_tags: bool = True,
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
    errors: bool = False,
    batch_size: int = 256,
    on_progress: OnProgress = lambda n: None,
) -> EvaluationResult:
    """Score a pipeline on the words and sentences of a treebank file.

    Each sentence is a Doc of its own.

    gold_tags: whether the pipeline gets the tags of the file, if there are any; the
        components that would overwrite them are then disabled.
    scored: definitions of scored words, keys of SCORED_WORDS.
    errors: whether to analyse the errors too.
    batch_size: Docs in a batch of the pipeline.
    on_progress: called with the number of sentences that have just been scored.

    Raises TreebankError for a file that cannot be used, PipelineError if the pipeline
    sets no heads or changes words, and ValueError for an unknown definition.
    """
    evaluations = {name: Evaluation(name) for name in scored}
    gold_tags = gold_tags and file_has_tags(treebank)
    n_words, seconds = 0, 0.0
    tagged = TextEvaluation()
    analysis = ErrorAnalysis() if errors else None
    for batch in parsed_batches(
        nlp, treebank, gold_tags=gold_tags, batch_size=batch_size
    ):
        seconds += batch.seconds
        for sentence, doc in batch.pairs:
            n_words += len(doc)
            heads, labels = heads_and_labels(doc)
            for evaluation in evaluations.values():
                evaluation.add(sentence.words, heads, labels)
            if analysis is not None:
                analysis.add(sentence, heads, labels)
            if not gold_tags:
                tagged.add_tagged(sentence, doc)
        on_progress(len(batch.pairs))
    return EvaluationResult(
        str(treebank),
        gold_tags,
        n_words,
        seconds,
        {name: evaluation.scores() for name, evaluation in evaluations.items()},
        {} if gold_tags else tagged.scores(),
        analysis,
    )


def evaluate_files(
    gold: str | Path, predicted: str | Path, *, errors: bool = False
) -> FileEvaluationResult:
    """Score a file with parses of the text of a treebank, whatever made them.

    Scores are those of the CoNLL 2018 shared task (Zeman et al. 2018, section 2.2).
    Words and sentences may differ from those of the treebank.

    gold, predicted: files as `read_treebank` reads them.
    errors: whether to analyse the errors too.

    Raises TreebankError for files that cannot be used, and if the files differ in other
    characters than whitespace.
    """
    sentences, found = read_pair(gold, predicted)
    expected = text_of(sentences)
    scores = score_texts(expected, found)
    analysis = None
    if errors:
        analysis = ErrorAnalysis()
        for parse in aligned_parses(sentences, expected, found):
            analysis.add(*parse)
    return FileEvaluationResult(
        str(gold), str(predicted), len(found.words), scores, analysis
    )


def evaluate_text(
    nlp: Language,
    treebank: str | Path,
    *,
    errors: bool = False,
    batch_size: int = 256,
    on_progress: OnProgress = lambda n: None,
) -> TextEvaluationResult:
    """Score a pipeline on the raw text of a treebank file.

    The pipeline finds words, sentences and tags itself. Scores are those of the CoNLL
    2018 shared task (Zeman et al. 2018, section 2.2).

    errors: whether to analyse the errors too.
    batch_size: paragraphs in a batch of the pipeline.
    on_progress: called with the number of paragraphs that have just been scored.

    Raises TreebankError for a file that cannot be used, and PipelineError if the
    pipeline sets no heads, changes the text, or does not take a text of that length.
    """
    evaluation = TextEvaluation()
    n_words = 0
    seconds = 0.0
    gold: list[TreebankSentence] = []
    for batch in checked_paragraphs(nlp, treebank):
        start = time.perf_counter()
        docs = list(nlp.pipe([text for text, _ in batch], batch_size=batch_size))
        seconds += time.perf_counter() - start
        for (_, sentences), doc in zip(batch, docs, strict=True):
            check_parsed(nlp, doc)
            gold += sentences if errors else []
            n_words += sum(not token.is_space for token in doc)
            try:
                evaluation.add(sentences, doc)
            except ValueError as error:
                name = sentences[0].name
                raise PipelineError(
                    f"{treebank}, text from sentence {name}: {error}"
                ) from error
        on_progress(len(batch))
    analysis = None
    if errors:
        analysis = ErrorAnalysis()
        for parse in aligned_parses(gold, *evaluation.texts()):
            analysis.add(*parse)
    return TextEvaluationResult(
        str(treebank), n_words, seconds, evaluation.scores(), analysis
    )
