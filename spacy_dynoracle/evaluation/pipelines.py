"""Scores of a spaCy pipeline on a treebank file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..treebank.pipelines import file_has_tags
from .attachment import DEFAULT_EXCLUSION, Scores, scored_words
from .conll2018 import TextScore, score_set_values, score_texts
from .errors import ErrorAnalysis
from .intervals import Sample
from .systems import OnProgress, Predictions, predictions


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """The fields that all evaluations have.

    Attributes:
        treebank: The file.
        n_words: Words that were parsed, or that are in the parses.
        seconds: Time of a pipeline, without loading, reading, making Docs and scoring,
            summed over all processes.
        sample: What the intervals of the scores were drawn from.
        errors: None unless it was asked for.
    """

    treebank: str
    n_words: int
    seconds: float
    sample: Sample
    errors: ErrorAnalysis | None = None

    @property
    def words_per_second(self) -> float:
        """The speed of the pipeline."""
        return self.n_words / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, kw_only=True)
class EvaluationResult(Evaluated):
    """The scores of a pipeline on the words and sentences of a treebank file.

    Attributes:
        gold_tags: Whether the pipeline got the tags of the file.
        scores: By definition of scored words, a key of SCORED_WORDS.
        conll2018: Scores of tags, and of trees with tags, as the CoNLL 2018 shared task
            defines them; empty if the pipeline got the tags of the file.
    """

    gold_tags: bool
    scores: Mapping[str, Scores]
    conll2018: Mapping[str, TextScore]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            "gold_tags": self.gold_tags,
            "words_per_second": round(self.words_per_second, 1),
            "scores": _plain(self.scores),
            "conll2018": _plain(self.conll2018),
        }


@dataclass(frozen=True, kw_only=True)
class TextEvaluationResult(Evaluated):
    """The scores of a pipeline on the raw text of a treebank file, or of a file with
    parses of that text.

    Attributes:
        predicted: The file with parses; None for a pipeline.
        scores: By measure: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags,
            Lemmas, UAS, LAS, CLAS, MLAS and BLEX. A measure of what a pipeline does not
            set is left out.
    """

    predicted: str | None
    scores: Mapping[str, TextScore]

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
    common = _common(treebank, found, errors)
    sample = common["sample"]
    return EvaluationResult(
        **common,
        gold_tags=gold_tags,
        scores={
            name: replace(score, intervals=sample.intervals(score.counts))
            for name, score in found.scores(scored).items()
        },
        conll2018={}
        if gold_tags
        else sample.with_intervals(score_set_values(*found.texts())),
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
    common = _common(gold, found, errors)
    scores = common["sample"].with_intervals(score_texts(*found.texts()))
    return TextEvaluationResult(**common, predicted=str(predicted), scores=scores)


def _common(treebank: str | Path, found: Predictions, errors: bool) -> dict[str, Any]:
    """The members of `Evaluated`."""
    analysis = None
    if errors:
        analysis = ErrorAnalysis()
        for parse in found.parses():
            analysis.add(*parse)
    return {
        "treebank": str(treebank),
        "n_words": found.n_words,
        "seconds": found.seconds,
        "sample": Sample.of(found.gold),
        "errors": analysis,
    }


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
    common = _common(treebank, found, errors)
    scores = common["sample"].with_intervals(score_set_values(*found.texts()))
    return TextEvaluationResult(**common, predicted=None, scores=scores)
