"""Cross-validation: scores for a treebank that is too small to be split.

The treebank is cut into folds. Each fold is parsed by a pipeline that was trained on
the others. The parses of all folds are scored together, so that every word counts
once.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.evaluation.conll2018 import TextScore, score_set_values
from spacy_dynoracle.evaluation.intervals import Sample, Unit
from spacy_dynoracle.evaluation.texts import text_of
from spacy_dynoracle.treebank import TreebankSentence, read_treebank
from spacy_dynoracle.treebank.text import documents
from spacy_dynoracle.treebank.writer import sentence_to_conllu
from spacy_dynoracle.util.config_errors import check_choice
from spacy_dynoracle.util.files import replace_file
from spacy_dynoracle.util.folds import cut_into_folds
from spacy_dynoracle.util.progress import Progress, no_progress
from spacy_dynoracle.util.texts import counted

from .trials import Trial, TrialSettings, check_trees, run_trials

# A document may be so many times as large as a fold would be.
_LARGEST = 1.5
# The file with the parses of all folds.
PREDICTED = "predicted.conllu"


@dataclass(frozen=True)
class CrossValidationSettings(TrialSettings):
    """The settings of a cross-validation.

    Without early stopping (``training.patience = 0``) a pipeline is trained on all
    other folds, and its last state counts. With early stopping the fold after the one
    that is parsed is the development data, and the best state counts.

    Attributes:
        n_folds: Number of folds.
        unit: What folds are made of, ``document`` or ``sentence``; None for documents
            if the treebank has enough of them, of similar sizes (comments
            ``# newdoc``).
    """

    n_folds: int = 10
    unit: Unit | None = None


@dataclass(frozen=True)
class CrossValidation:
    """The scores of a cross-validation, by measure of the CoNLL 2018 shared task.

    Attributes:
        treebank: The file.
        settings: Its settings, with the unit that was taken.
        scores: Of all folds together.
        folds: Of each fold.
        sample: What the intervals of the scores were drawn from.
    """

    treebank: str
    settings: CrossValidationSettings
    scores: Mapping[str, TextScore]
    folds: tuple[Mapping[str, TextScore], ...]
    sample: Sample

    @property
    def sizes(self) -> list[int]:
        """The words of each fold."""
        return [fold["Words"].gold for fold in self.folds]

    @property
    def has_mean(self) -> bool:
        """Whether a mean over folds tells anything: none is a single sentence."""
        return all(fold["Sentences"].gold > 1 for fold in self.folds)

    def mean(self, measure: str) -> float:
        """The mean of the F1 of the folds."""
        return statistics.mean(fold[measure].f1 for fold in self.folds)

    def deviation(self, measure: str) -> float:
        """The standard deviation of the F1 of the folds."""
        return statistics.stdev(fold[measure].f1 for fold in self.folds)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        return {
            "treebank": self.treebank,
            **self.settings.as_dict(),
            "fold_words": self.sizes,
            "scores": {
                name: score.as_dict()
                | {
                    "mean": self.mean(name) if self.has_mean else None,
                    "deviation": self.deviation(name) if self.has_mean else None,
                }
                for name, score in self.scores.items()
            },
            "folds": [
                {name: score.f1 for name, score in fold.items()} for fold in self.folds
            ],
        }


def cross_validate(
    treebank: str | Path,
    settings: CrossValidationSettings,
    *,
    directory: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> CrossValidation:
    """Train and score a pipeline for each fold of a treebank.

    Args:
        treebank: A file, as `read_treebank` reads it.
        directory: Where the parses of each fold are kept, and those of all folds in one
            file (``predicted.conllu``, beside ``gold.conllu``). Folds that are there
            are not parsed again, if treebank and settings are the same.
        n_jobs: Number of pipelines trained at a time; results do not depend on it.

    Raises:
        TreebankError: For a treebank that cannot be used.
        PipelineError: For a pipeline that does not parse.
        ValueError: For impossible settings.
    """
    sentences = list(read_treebank(treebank))
    check_trees(treebank, sentences)
    units, settings = _units(sentences, settings)
    gold = [[s for i in fold for s in units[i]] for fold in _folds(units, settings)]
    every = [sentence for fold in gold for sentence in fold]
    bounds = pairwise([0, *accumulate(map(len, gold))])
    numbers = [list(range(*bound)) for bound in bounds]
    trials = [_trial(numbers, fold) for fold in range(len(numbers))]
    parts = run_trials(
        directory, "cross-validation", every, trials, settings, n_jobs, progress
    )
    parses = [sentence for part in parts for sentence in part]
    if directory is not None:
        data = "".join(map(sentence_to_conllu, parses)).encode()
        replace_file(Path(directory) / PREDICTED, data)
    # Folds of sentences have torn the documents apart.
    sample = Sample.of(sentences)
    order = [sentence.ordinal - 1 for sentence in every]
    sample = replace(sample, unit_of=sample.unit_of[order])
    folds = tuple(
        score_set_values(text_of(fold), text_of(part))
        for fold, part in zip(gold, parts, strict=True)
    )
    # The pipeline of a fold may set no value of a rare column.
    pooled = {
        measure: score
        for measure, score in score_set_values(text_of(every), text_of(parses)).items()
        if all(measure in fold for fold in folds)
    }
    scores = sample.with_intervals(pooled)
    return CrossValidation(str(treebank), settings, scores, folds, sample)


def _units(
    sentences: Sequence[TreebankSentence], settings: CrossValidationSettings
) -> tuple[list[list[TreebankSentence]], CrossValidationSettings]:
    """The units that folds are made of, and the settings with their name.

    Raises:
        TreebankError: If there are too few.
    """
    if settings.n_folds < 2:
        raise ValueError(f"{settings.n_folds} folds: expected at least 2")
    check_choice("unit", settings.unit, (None, "document", "sentence"))
    by_document = list(documents(sentences))
    sizes = [sum(len(sentence.words) for sentence in each) for each in by_document]
    # Folds of very unequal documents would be very unequal, too.
    enough = len(sizes) >= settings.n_folds and max(
        sizes
    ) * settings.n_folds <= _LARGEST * sum(sizes)
    unit: Unit = settings.unit or ("document" if enough else "sentence")
    units = by_document if unit == "document" else [[s] for s in sentences]
    if len(units) < settings.n_folds:
        raise TreebankError(
            f"{sentences[0].path}: {counted(len(units), unit)} cannot be cut into "
            f"{settings.n_folds} folds; take fewer folds"
            + (" or cut by sentence" if unit == "document" else ""),
            sentences[0].path,
        )
    return units, replace(settings, unit=unit)


def _folds(
    units: Sequence[Sequence[TreebankSentence]], settings: CrossValidationSettings
) -> list[list[int]]:
    """Shuffled units in folds of about the same number of words.

    Within a fold they keep the order of the treebank.
    """
    order = np.random.default_rng(settings.seed).permutation(len(units)).tolist()
    words = [sum(len(s.words) for s in units[i]) for i in order]
    cut = cut_into_folds(words, settings.n_folds)
    return [sorted(order[i] for i in fold) for fold in cut]


def _trial(folds: Sequence[Sequence[int]], fold: int) -> Trial:
    """The trial that parses a fold, given the numbers of the sentences of all folds."""
    others = [part for i, part in enumerate(folds) if i != fold]
    return Trial(
        f"fold-{fold + 1}",
        train=[number for part in others for number in part],
        dev=folds[(fold + 1) % len(folds)] if len(others) > 1 else (),
        test=folds[fold],
    )
