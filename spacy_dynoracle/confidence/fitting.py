"""Fitting the temperature of a parser to held-out data."""

from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..committee.lookup import find_committee
from ..core.model.model import Model
from ..errors import PipelineError, TreebankError
from ..parser.lookup import find_parser, trained_model
from ..treebank.pipelines import called
from ..util.config_errors import check_choice
from .measured import CalibrationSet
from .temperature import ScoredDecisions, fit_temperature, minimum

TRANSITIONS, ARCS = "transitions", "arcs"
# The temperature for arcs is sought up to this factor from that for transitions.
FACTOR = 3.0
GRID = 7
# Of the logarithm of the temperature; the samples are not precise enough for less.
TOLERANCE = 0.02


@dataclass(frozen=True)
class FittedTemperature:
    """A temperature that was fitted to held-out data.

    Attributes:
        temperature: What scores must be divided by.
        on: "transitions" or "arcs", what was made as probable as possible.
        path: The held-out file.
        n_sentences: Its sentences.
    """

    temperature: float
    on: str
    path: Path
    n_sentences: int

    @property
    def title(self) -> str:
        """The temperature and its origin, in words."""
        return f"Temperature {self.temperature:.6g}, fitted on the {self.on} of " + (
            self.path.name
        )

    @property
    def values(self) -> dict[str, Any]:
        """The arguments of `measure` that use it."""
        return {"temperature": self.temperature}

    def use(self, nlp: Language) -> None:
        """As `set_temperature`."""
        set_temperature(nlp, self.temperature)


def fit(
    nlp: Language,
    path: str | Path,
    *,
    on: str = TRANSITIONS,
    n_samples: int = 64,
    seed: int = 0,
    gold_tags: bool = True,
) -> FittedTemperature:
    """Fit a temperature for the parser of a pipeline, which stays as it is.

    `set_temperature` lets the parser use the result.

    Args:
        path: A treebank file, held out from training and from what is to be measured.
        on: "transitions" makes the correct transitions as probable as possible, "arcs"
            calibrates the marginals of labelled arcs (slower).
        n_samples, seed: Of the marginals.
        gold_tags: Whether to use the tags of the file instead of those of the pipeline.

    Raises:
        PipelineError: For a pipeline without a parser, for one whose decisions have no
            probabilities, and for a committee.
        TreebankError: If the file cannot be used or no temperature fits.
    """
    check_choice("on", on, (TRANSITIONS, ARCS))
    committee = find_committee(nlp)
    if committee is not None:
        raise PipelineError(
            f"{called(nlp)} has the committee {committee.name!r}, whose members have "
            f"temperatures of their own: use confidence.fit_votes"
        )
    model = trained_model(find_parser(nlp))
    data = CalibrationSet.of(nlp, path, gold_tags=gold_tags)
    try:
        temperature = fit_on_transitions(model, data)
    except ValueError as error:
        raise TreebankError(f"{path}: no temperature fits: {error}", str(path)) from (
            error
        )
    if on == ARCS:
        temperature = fit_on_arcs(model, data, temperature, n_samples, seed)
    return FittedTemperature(temperature, on, data.path, len(data.sentences))


def set_temperature(nlp: Language, temperature: float) -> None:
    """Let the parser of a pipeline use a temperature.

    No greedy parse changes. A parser that looks ahead decides by probabilities where to
    look, so that a few of its trees change, and a full beam compares probabilities, no
    longer sums of scores.
    """
    parser = find_parser(nlp)
    parser.replace_model(trained_model(parser).with_temperature(temperature))


def fit_on_transitions(model: Model, data: CalibrationSet) -> float:
    """The temperature at which the correct transitions are most probable.

    Raises:
        ValueError: If none is.
    """
    scored = data.decisions(model, keep_scores=True)
    return fit_temperature(
        ScoredDecisions(scored.scores or [], scored.correct_sets or [])
    )


def fit_on_arcs(
    model: Model, data: CalibrationSet, start: float, n_samples: int, seed: int
) -> float:
    """The temperature with the least expected calibration error of labelled arcs.

    The temperature at which transitions are most probable need not be the best one for
    arcs: a derivation has many transitions, and one of several correct ones is enough.
    Marginals are drawn with the same random numbers at each temperature.

    Args:
        start: A temperature near the result, such as that of the transitions.
    """

    def loss(x: float) -> float:
        arcs = data.arcs(model.with_temperature(exp(x)), n_samples, seed)
        return arcs.arcs.calibration().error

    step = 2 * log(FACTOR) / (GRID - 1)
    points = [log(start) + step * (i - GRID // 2) for i in range(GRID)]
    best = min(points, key=loss)
    return exp(minimum(loss, best - step, best + step, TOLERANCE))
