"""Scores of a spaCy pipeline on a treebank file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..treebank import TreebankSentence, heads_and_labels, read_treebank
from ..treebank.pipelines import (
    BATCH_SIZE,
    batched,
    file_has_tags,
    parsed_batch,
)
from .attachment import DEFAULT_EXCLUSION, Evaluation, Scores
from .batches import in_batches
from .conll2018 import TextEvaluation, TextScore, score_texts
from .errors import ErrorAnalysis
from .systems import (
    OnProgress,
    aligned_parses,
    parsed_texts,
    read_pair,
)
from .texts import Text, text_of


@dataclass(frozen=True)
class EvaluationResult:
    """The scores of a pipeline on the words and sentences of a treebank file.

    Attributes:
        treebank: The file.
        gold_tags: Whether the pipeline got the tags of the file.
        n_words: All words that were parsed.
        seconds: Time of the pipeline, without loading, reading, making Docs and
            scoring, summed over all processes.
        scores: By definition of scored words, a key of SCORED_WORDS.
        conll2018: Scores of tags, and of trees with tags, as the CoNLL 2018 shared task
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
class TextEvaluationResult:
    """The scores of a pipeline on the raw text of a treebank file, or of a file with
    parses of that text.

    Attributes:
        treebank: The file.
        predicted: The file with parses; None for a pipeline.
        n_words: Words that the pipeline found, or that are in the parses.
        seconds: Time of the pipeline, without loading, reading and scoring, summed over
            all processes.
        scores: By measure: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags,
            Lemmas, UAS, LAS, CLAS, MLAS and BLEX. A measure of what a pipeline does not
            set is left out.
        errors: None unless it was asked for.
    """

    treebank: str
    predicted: str | None
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
        system: dict[str, Any] = {"predicted": self.predicted}
        if self.predicted is None:
            speed = round(self.words_per_second, 1)
            system = {"from_text": True, "words_per_second": speed}
        return {"treebank": self.treebank, **system, "scores": _plain(self.scores)}


def _plain(scores: Mapping[str, Scores] | Mapping[str, TextScore]) -> dict[str, Any]:
    return {name: score.as_dict() for name, score in scores.items()}


def evaluate(
    nlp: Language,
    treebank: str | Path,
    *,
    gold_tags: bool = True,
    scored: Sequence[str] = ("all", DEFAULT_EXCLUSION),
    errors: bool = False,
    batch_size: int = BATCH_SIZE,
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> EvaluationResult:
    """Score a pipeline on the words and sentences of a treebank file.

    Each sentence is a Doc of its own.

    Args:
        gold_tags: Whether the pipeline gets the tags of the sentences that have some;
            the components that would overwrite them then get the other sentences alone.
        scored: Definitions of scored words, keys of SCORED_WORDS.
        errors: Whether to analyse the errors too.
        batch_size: Docs in a batch of the pipeline.
        n_jobs: Number of processes; scores do not depend on it. More than one need a
            pipeline that was loaded from a directory or a package, and load it from
            there.
        on_progress: Called with the number of sentences that have just been scored.

    Raises:
        TreebankError: For a file that cannot be used.
        PipelineError: If the pipeline sets no heads or changes words.
        ValueError: For an unknown definition.
    """
    gold_tags = gold_tags and file_has_tags(treebank)
    whole = _WordScores(scored, errors, tagged=not gold_tags)
    score = partial(_score_words, scored, errors, gold_tags)
    batches = batched(read_treebank(treebank), batch_size)
    for part in in_batches(nlp, score, batches, n_jobs):
        whole.merge(part)
        on_progress(part.n_sentences)
    return EvaluationResult(
        str(treebank),
        gold_tags,
        whole.n_words,
        whole.seconds,
        {name: each.scores() for name, each in whole.evaluations.items()},
        {} if whole.tagged is None else whole.tagged.scores(),
        whole.analysis,
    )


class _WordScores:
    """The scores of parsed sentences with the words of a treebank.

    Args:
        tagged: Whether tags are scored too.

    Raises:
        ValueError: For an unknown definition of scored words.
    """

    def __init__(self, scored: Sequence[str], errors: bool, tagged: bool) -> None:
        self.evaluations = {name: Evaluation(name) for name in scored}
        self.analysis = ErrorAnalysis() if errors else None
        self.tagged = TextEvaluation() if tagged else None
        self.n_sentences = self.n_words = 0
        self.seconds = 0.0

    def add(self, sentence: TreebankSentence, doc: Doc) -> None:
        """Score a sentence."""
        self.n_sentences += 1
        self.n_words += len(doc)
        heads, labels = heads_and_labels(doc)
        for evaluation in self.evaluations.values():
            evaluation.add(sentence.words, heads, labels)
        if self.analysis is not None:
            self.analysis.add(sentence, heads, labels)
        if self.tagged is not None:
            self.tagged.add_tagged(sentence, doc)

    def merge(self, other: _WordScores) -> None:
        """Add the sentences of a later batch."""
        for name, evaluation in self.evaluations.items():
            evaluation.merge(other.evaluations[name])
        if self.analysis is not None and other.analysis is not None:
            self.analysis.merge(other.analysis)
        if self.tagged is not None and other.tagged is not None:
            self.tagged.merge(other.tagged)
        self.n_sentences += other.n_sentences
        self.n_words += other.n_words
        self.seconds += other.seconds


def _score_words(
    scored: Sequence[str],
    errors: bool,
    gold_tags: bool,
    nlp: Language,
    sentences: list[TreebankSentence],
) -> _WordScores:
    """Parse and score a batch."""
    found = _WordScores(scored, errors, tagged=not gold_tags)
    batch = parsed_batch(nlp, sentences, gold_tags=gold_tags)
    found.seconds = batch.seconds
    for sentence, doc in batch.pairs:
        found.add(sentence, doc)
    return found


def evaluate_files(
    gold: str | Path, predicted: str | Path, *, errors: bool = False
) -> TextEvaluationResult:
    """Score a file with parses of the text of a treebank, whatever made them.

    Scores are those of the CoNLL 2018 shared task (Zeman et al. 2018, section 2.2).
    Words and sentences may differ from those of the treebank.

    Args:
        gold, predicted: Files as `read_treebank` reads them.
        errors: Whether to analyse the errors too.

    Raises:
        TreebankError: For files that cannot be used, and if the files differ in other
            characters than whitespace.
    """
    sentences, found = read_pair(gold, predicted)
    texts = text_of(sentences), found
    return TextEvaluationResult(
        str(gold),
        str(predicted),
        len(found.words),
        0.0,
        score_texts(*texts),
        _analysis(sentences, *texts) if errors else None,
    )


def _analysis(
    sentences: Sequence[TreebankSentence], gold: Text, predicted: Text
) -> ErrorAnalysis:
    """The errors in a text.

    Args:
        gold: The words of the sentences.
    """
    analysis = ErrorAnalysis()
    for parse in aligned_parses(sentences, gold, predicted):
        analysis.add(*parse)
    return analysis


def evaluate_text(
    nlp: Language,
    treebank: str | Path,
    *,
    errors: bool = False,
    batch_size: int = BATCH_SIZE,
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> TextEvaluationResult:
    """Score a pipeline on the raw text of a treebank file.

    The pipeline finds words, sentences and tags itself. Scores are those of the CoNLL
    2018 shared task (Zeman et al. 2018, section 2.2).

    Args:
        errors: Whether to analyse the errors too.
        batch_size: Paragraphs in a batch of the pipeline.
        n_jobs: As in `evaluate`.
        on_progress: Called with the number of paragraphs that have just been scored.

    Raises:
        TreebankError: For a file that cannot be used.
        PipelineError: If the pipeline sets no heads, changes the text, or does not take
            a text of that length.
    """
    evaluation = TextEvaluation()
    n_words = 0
    seconds = 0.0
    gold: list[TreebankSentence] = []
    for part in parsed_texts(nlp, treebank, gold, n_jobs, batch_size):
        evaluation.merge(part.evaluation)
        n_words += part.n_words
        seconds += part.seconds
        on_progress(part.n_paragraphs)
    return TextEvaluationResult(
        str(treebank),
        None,
        n_words,
        seconds,
        evaluation.scores(),
        _analysis(gold, *evaluation.texts()) if errors else None,
    )
