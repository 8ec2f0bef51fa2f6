"""Learning curves: how the scores rise with the training data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spacy_dynoracle.errors import TreebankError
from spacy_dynoracle.evaluation.conll2018 import TextScore, score_set_values
from spacy_dynoracle.evaluation.intervals import Sample
from spacy_dynoracle.evaluation.texts import text_of
from spacy_dynoracle.treebank import read_treebank
from spacy_dynoracle.util.progress import Progress, no_progress

from .trials import Trial, TrialSettings, check_trees, run_trials

# The training data is divided by these numbers.
DIVISORS = (8, 4, 2, 1)


@dataclass(frozen=True)
class CurvePoint:
    """The scores of a pipeline that was trained on a part of the data.

    Attributes:
        divisor: The part is one of so many.
        sentences, words: Those of the part.
        scores: On the development data, by measure of the CoNLL 2018 shared task.
    """

    divisor: int
    sentences: int
    words: int
    scores: Mapping[str, TextScore]


@dataclass(frozen=True)
class LearningCurve:
    """How the scores rise with the training data.

    Attributes:
        train, dev: The files.
        points: From the smallest part to the whole data.
    """

    train: str
    dev: str
    settings: TrialSettings
    points: tuple[CurvePoint, ...]

    def errors_left(self, measure: str) -> float | None:
        """The share of errors that each doubling of the data left, in the mean: the
        slope of a line through the logarithms of words and errors.

        None if a part of the data was enough to make no errors.
        """
        errors = [1 - point.scores[measure].f1 for point in self.points]
        if min(errors) <= 0:
            return None
        words = np.log2([point.words for point in self.points])
        return float(2 ** np.polyfit(words, np.log2(errors), 1)[0])

    def with_twice_the_data(self, measure: str) -> float | None:
        """The F1 with twice the data, if `errors_left` stays the same."""
        left = self.errors_left(measure)
        f1 = self.points[-1].scores[measure].f1
        return None if left is None else 1 - (1 - f1) * left

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON. Scores are fractions of 1."""
        measures = self.points[-1].scores
        return {
            "train": self.train,
            "dev": self.dev,
            **self.settings.as_dict(),
            "points": [
                vars(point)
                | {"scores": {k: v.as_dict() for k, v in point.scores.items()}}
                for point in self.points
            ],
            "with_twice_the_data": {
                name: self.with_twice_the_data(name) for name in measures
            },
        }


def learning_curve(
    train: str | Path,
    dev: str | Path,
    settings: TrialSettings,
    *,
    directory: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> LearningCurve:
    """Train pipelines on an eighth, a quarter, a half and all of a treebank.

    The sentences of a part are drawn by the seed, and are in the next larger part, too.
    With early stopping (``training.patience``) the development data also chooses the
    state of each pipeline, so that scores are a little too high.

    Args:
        train, dev: Files, as `read_treebank` reads them.
        directory: Where the parses of each pipeline are kept. What is there is not made
            again, if treebank and settings are the same.
        n_jobs: Number of pipelines trained at a time; results do not depend on it.

    Raises:
        TreebankError: For a treebank that cannot be used.
        PipelineError: For a pipeline that does not parse.
        ValueError: For impossible settings.
    """
    data, gold = list(read_treebank(train)), list(read_treebank(dev))
    if len(data) < max(DIVISORS):
        raise TreebankError(
            f"{train}: {len(data)} sentences are too few for a learning curve; "
            f"expected {max(DIVISORS)} at least",
            str(train),
        )
    check_trees(train, data)
    check_trees(dev, gold)
    order = np.random.default_rng(settings.seed).permutation(len(data))
    parts = [np.sort(order[: len(data) // d]).tolist() for d in DIVISORS]
    test = range(len(data), len(data) + len(gold))
    trials = [
        Trial(f"part-{divisor}", part, test, test)
        for divisor, part in zip(DIVISORS, parts, strict=True)
    ]
    every = [*data, *gold]
    found = run_trials(
        directory, "learning curve", every, trials, settings, n_jobs, progress
    )
    sample = Sample.of(gold)
    scores = [score_set_values(text_of(gold), text_of(parses)) for parses in found]
    # The pipeline of a small part may set no value of a rare column.
    common = [name for name in scores[-1] if all(name in each for each in scores)]
    points = (
        CurvePoint(
            divisor,
            len(part),
            sum(len(data[i].words) for i in part),
            sample.with_intervals({name: each[name] for name in common}),
        )
        for divisor, part, each in zip(DIVISORS, parts, scores, strict=True)
    )
    return LearningCurve(str(train), str(dev), settings, tuple(points))
