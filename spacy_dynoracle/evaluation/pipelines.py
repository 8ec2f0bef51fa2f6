"""Scores of a spaCy pipeline on a treebank file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..errors import PipelineError
from ..treebank import TreebankSentence, heads_and_labels, read_conllu
from ..treebank.pipelines import (
    batched,
    called,
    check_parsed,
    file_has_tags,
    parsed_batches,
)
from ..treebank.text import paragraphs
from .attachment import DEFAULT_EXCLUSION, Evaluation, Scores
from .conll2018 import TextEvaluation, TextScore

# Paragraphs of raw text that are parsed and scored at a time.
_PARAGRAPHS = 200

OnProgress = Callable[[int], object]


@dataclass(frozen=True)
class EvaluationResult:
    """The scores of a pipeline on the words and sentences of a treebank file.

    treebank: the file. gold_tags: whether the pipeline got the tags of the file.
    n_words: all words that were parsed. seconds: time of the pipeline, without loading,
        reading, making Docs and scoring.
    scores: by definition of scored words, a key of SCORED_WORDS.
    """

    treebank: str
    gold_tags: bool
    n_words: int
    seconds: float
    scores: Mapping[str, Scores]

    @property
    def words_per_second(self) -> float:
        """The speed of the pipeline."""
        return self.n_words / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return _as_dict(self, gold_tags=self.gold_tags)


@dataclass(frozen=True)
class TextEvaluationResult:
    """The scores of a pipeline on the raw text of a treebank file.

    treebank: the file. n_words: words that the pipeline found. seconds: time of the
        pipeline, without loading, reading and scoring.
    scores: by measure: Tokens, Sentences, Words, UPOS, XPOS, UAS, LAS and CLAS.
    """

    treebank: str
    n_words: int
    seconds: float
    scores: Mapping[str, TextScore]

    @property
    def words_per_second(self) -> float:
        """The speed of the pipeline."""
        return self.n_words / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return _as_dict(self, from_text=True)


def _as_dict(
    result: EvaluationResult | TextEvaluationResult, **given: bool
) -> dict[str, Any]:
    """The values of a result for JSON.

    given: what the pipeline got from the file, in the words of the record.
    """
    return {
        "treebank": result.treebank,
        **given,
        "words_per_second": round(result.words_per_second, 1),
        "scores": {name: score.as_dict() for name, score in result.scores.items()},
    }


def evaluate(
    nlp: Language,
    treebank: str | Path,
    *,
    gold_tags: bool = True,
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
    batch_size: int = 256,
    on_progress: OnProgress = lambda n: None,
) -> EvaluationResult:
    """Score a pipeline on the words and sentences of a treebank file.

    Each sentence is a Doc of its own.

    gold_tags: whether the pipeline gets the tags of the file, if there are any; the
        components that would overwrite them are then disabled.
    scored: definitions of scored words, keys of SCORED_WORDS.
    batch_size: Docs in a batch of the pipeline.
    on_progress: called with the number of sentences that have just been scored.

    Raises TreebankError for a file that cannot be used, PipelineError if the pipeline
    sets no heads or changes words, and ValueError for an unknown definition.
    """
    evaluations = {name: Evaluation(name) for name in scored}
    gold_tags = gold_tags and file_has_tags(treebank)
    n_words = 0
    seconds = 0.0
    batches = parsed_batches(nlp, treebank, gold_tags=gold_tags, batch_size=batch_size)
    for batch in batches:
        seconds += batch.seconds
        for sentence, doc in batch.pairs:
            n_words += len(doc)
            heads, labels = heads_and_labels(doc)
            for evaluation in evaluations.values():
                evaluation.add(sentence.words, heads, labels)
        on_progress(len(batch.pairs))
    scores = {name: evaluation.scores() for name, evaluation in evaluations.items()}
    return EvaluationResult(str(treebank), gold_tags, n_words, seconds, scores)


def evaluate_text(
    nlp: Language,
    treebank: str | Path,
    *,
    batch_size: int = 256,
    on_progress: OnProgress = lambda n: None,
) -> TextEvaluationResult:
    """Score a pipeline on the raw text of a treebank file.

    The pipeline finds words, sentences and tags itself. Scores are those of the CoNLL
    2018 shared task (Zeman et al. 2018, section 2.2).

    batch_size: paragraphs in a batch of the pipeline.
    on_progress: called with the number of paragraphs that have just been scored.

    Raises TreebankError for a file that cannot be used, and PipelineError if the
    pipeline sets no heads, changes the text, or does not take a text of that length.
    """
    evaluation = TextEvaluation()
    n_words = 0
    seconds = 0.0
    for batch in batched(_checked_paragraphs(nlp, treebank), _PARAGRAPHS):
        start = time.perf_counter()
        docs = list(nlp.pipe([text for text, _ in batch], batch_size=batch_size))
        seconds += time.perf_counter() - start
        for (_, sentences), doc in zip(batch, docs, strict=True):
            check_parsed(nlp, doc)
            n_words += sum(not token.is_space for token in doc)
            try:
                evaluation.add(sentences, doc)
            except ValueError as error:
                name = sentences[0].name
                raise PipelineError(
                    f"{treebank}, text from sentence {name}: {error}"
                ) from error
        on_progress(len(batch))
    return TextEvaluationResult(str(treebank), n_words, seconds, evaluation.scores())


def _checked_paragraphs(
    nlp: Language, treebank: str | Path
) -> Iterator[tuple[str, list[TreebankSentence]]]:
    """Yield the paragraphs of a file. Raises PipelineError for one that is too long."""
    for text, sentences in paragraphs(read_conllu(treebank)):
        if len(text) > nlp.max_length:
            raise PipelineError(
                f"{treebank}: the text from sentence {sentences[0].name} has "
                f"{len(text):,} characters, but {called(nlp)} takes at most "
                f"{nlp.max_length:,}; mark where documents begin with comments # newdoc"
            )
        yield text, sentences
