"""Scores of a spaCy pipeline on a treebank file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..treebank.pipelines import file_has_tags
from .attachment import DEFAULT_EXCLUSION, Scores, scored_words
from .conll2018 import TextScore, score_set_values, score_texts
from .errors import ErrorAnalysis
from .intervals import Sample
from .systems import OnProgress, Predictions, predictions


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
        sample: What the intervals of the scores were drawn from.
        conll2018: Scores of tags, and of trees with tags, as the CoNLL 2018 shared task
            defines them; empty if the pipeline got the tags of the file.
        errors: None unless it was asked for.
    """

    treebank: str
    gold_tags: bool
    n_words: int
    seconds: float
    scores: Mapping[str, Scores]
    sample: Sample
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
        sample: What the intervals of the scores were drawn from.
        errors: None unless it was asked for.
    """

    treebank: str
    predicted: str | None
    n_words: int
    seconds: float
    scores: Mapping[str, TextScore]
    sample: Sample
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
        n_jobs: Number of processes; scores do not depend on it. More than one need a
            pipeline that was loaded from a directory or a package, and load it from
            there.
        on_progress: Called with the number of sentences that have just been scored.

    Raises:
        TreebankError: For a file that cannot be used.
        PipelineError: If the pipeline sets no heads or changes words.
        ValueError: For an unknown definition.
    """
    for name in scored:
        scored_words(name)
    gold_tags = gold_tags and file_has_tags(treebank)
    found = predictions(
        nlp, treebank, gold_tags=gold_tags, n_jobs=n_jobs, on_progress=on_progress
    )
    sample = Sample.of(found.gold)
    return EvaluationResult(
        str(treebank),
        gold_tags,
        found.n_words,
        found.seconds,
        {
            name: replace(score, intervals=sample.intervals(score.counts))
            for name, score in found.scores(scored).items()
        },
        sample,
        {} if gold_tags else sample.with_intervals(score_set_values(*found.texts())),
        _analysis(found) if errors else None,
    )


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
    found = predictions(predicted, gold)
    sample = Sample.of(found.gold)
    return TextEvaluationResult(
        str(gold),
        str(predicted),
        found.n_words,
        0.0,
        sample.with_intervals(score_texts(*found.texts())),
        sample,
        _analysis(found) if errors else None,
    )


def _analysis(found: Predictions) -> ErrorAnalysis:
    """The errors of a system."""
    analysis = ErrorAnalysis()
    for parse in found.parses():
        analysis.add(*parse)
    return analysis


def evaluate_text(
    nlp: Language,
    treebank: str | Path,
    *,
    errors: bool = False,
    n_jobs: int = 1,
    on_progress: OnProgress = lambda n: None,
) -> TextEvaluationResult:
    """Score a pipeline on the raw text of a treebank file.

    The pipeline finds words, sentences and tags itself. Scores are those of the CoNLL
    2018 shared task (Zeman et al. 2018, section 2.2).

    Args:
        errors: Whether to analyse the errors too.
        n_jobs: As in `evaluate`.
        on_progress: Called with the number of paragraphs that have just been scored.

    Raises:
        TreebankError: For a file that cannot be used.
        PipelineError: If the pipeline sets no heads, changes the text, or does not take
            a text of that length.
    """
    found = predictions(
        nlp, treebank, from_text=True, n_jobs=n_jobs, on_progress=on_progress
    )
    sample = Sample.of(found.gold)
    return TextEvaluationResult(
        str(treebank),
        None,
        found.n_words,
        found.seconds,
        sample.with_intervals(score_set_values(*found.texts())),
        sample,
        _analysis(found) if errors else None,
    )
