"""How far the probabilities of a pipeline can be trusted: everything in one report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..committee.calibration import VoteCalibration
from ..committee.component import DynOracleCommittee
from ..committee.lookup import find_committee
from ..core.model.model import Model
from ..errors import PipelineError, TreebankError
from ..parser.lookup import trained_model
from ..reports.tables import Grid
from . import coverage, reliability
from .calibration import Calibration
from .coverage import CertaintyRanking
from .measured import ArcConfidence, CalibrationSet, HeldOut, probable_parser
from .votes import VoteSet


@dataclass(frozen=True)
class TemperatureCalibration:
    """The calibration of a model at a temperature.

    Attributes:
        temperature: What scores are divided by; None for the votes of a committee.
        is_fitted: Whether it was, or the probabilities of votes were, fitted to
            held-out data.
        calibration: By what is predicted: transitions, heads, labelled arcs.
    """

    temperature: float | None
    is_fitted: bool
    calibration: dict[str, Calibration]

    @property
    def title(self) -> str:
        """The temperature and its origin, for the title of a table."""
        fitted = "fitted" if self.is_fitted else "not fitted"
        if self.temperature is None:
            return f"votes, {fitted}"
        return f"temperature {self.temperature:.4g}, {fitted}"


@dataclass(frozen=True)
class ConfidenceReport:
    """How far the probabilities of a parser can be trusted on a treebank file.

    Attributes:
        path: The file.
        gold_tags: Whether its tags were used.
        n_samples: Derivations drawn of each sentence; None for a committee.
        seed: Seed of the samples.
        now: The calibration.
        arcs: Certainty and correctness of every arc.
        rankings: How well certainty tells right from wrong, for heads and labelled
            arcs, by marginals and by transitions.
        before: The calibration at the model's own temperature, or of the committee's
            own probabilities, if others were measured.
    """

    path: Path
    gold_tags: bool
    n_samples: int | None
    seed: int
    now: TemperatureCalibration
    arcs: ArcConfidence
    rankings: dict[tuple[str, str], CertaintyRanking]
    before: TemperatureCalibration | None = None

    @property
    def title(self) -> str:
        """The file and the temperature, for the titles of tables."""
        return f"{self.path.name}, {self.now.title}"

    @property
    def origin(self) -> str:
        """The temperature or the votes, and where they come from, in words."""
        fitted = self.now.is_fitted
        if self.now.temperature is None:
            return "Votes, fitted before" if fitted else "Votes, their shares"
        origin = "fitted before" if fitted else "as trained"
        return f"Temperature {self.now.temperature:.6g}, {origin}"

    def as_dict(self) -> dict[str, Any]:
        """All numbers as values for JSON, fractions of 1."""
        values: dict[str, Any] = {
            "treebank": str(self.path),
            "gold_tags": self.gold_tags,
            "temperature": self.now.temperature,
            "fitted": self.now.is_fitted,
            "samples": self.n_samples,
            "seed": self.seed,
            "calibration": reliability.calibration_dicts(self.now.calibration),
            "ranking": coverage.ranking_dicts(self.rankings),
        }
        if self.before is not None:
            values["before"] = {
                "temperature": self.before.temperature,
                "calibration": reliability.calibration_dicts(self.before.calibration),
            }
        return values

    def tables(self) -> list[Grid]:
        """All tables, after Goldberg (2013, Table 4)."""
        grids = reliability.calibration_tables(
            self.now.calibration, self.title, self.n_samples
        )
        grids += [
            coverage.threshold_table(self.title, self.arcs),
            coverage.ranking_table(self.title, self.rankings),
        ]
        if self.before is not None:
            title = f"Before: {self.path.name}, {self.before.title}"
            grids.append(reliability.summary_table(title, self.before.calibration))
        return grids


def measure(
    nlp: Language,
    path: str | Path,
    *,
    temperature: float | None = None,
    votes: VoteCalibration | None = None,
    n_samples: int = 64,
    seed: int = 0,
    gold_tags: bool = True,
) -> ConfidenceReport:
    """Measure how far the probabilities of a pipeline's parser, or committee, can be
    trusted.

    Args:
        path: A treebank file that the parser was not trained on.
        temperature: Used in place of the model's own, for example one from `fit`; the
            report then compares both.
        votes: The same for a committee, from `fit_votes`.
        n_samples: Derivations drawn of each sentence for marginals.
        seed: Seeds the samples.
        gold_tags: Whether to use the tags of the file instead of those of the pipeline.
            temperature, n_samples and seed are not used with a committee, and votes not
            with a parser.

    Raises:
        PipelineError: For a model whose scores are not probabilities.
        TreebankError: For a file that cannot be used.
    """
    committee = find_committee(nlp)
    if committee is not None:
        return _measure_votes(nlp, committee, path, votes, gold_tags)
    own = trained_model(probable_parser(nlp))
    if temperature is None and own.temperature is None:
        raise PipelineError(
            f"scores of {own.learner} are not probabilities: fit a temperature to "
            "held-out data (spacy-dynoracle calibrate with --fit FILE, or "
            "confidence.fit)"
        )
    data = CalibrationSet.of(nlp, path, gold_tags=gold_tags)
    if not data.sentences:
        raise TreebankError(f"{path}: no sentence to measure anything on", str(path))
    model = own if temperature is None else own.with_temperature(temperature)
    arcs = data.arcs(model, n_samples, seed)
    before = None
    if model is not own and own.temperature is not None:
        before = _at_temperature(own, data, data.arcs(own, n_samples, seed))
    return ConfidenceReport(
        path=data.path,
        gold_tags=gold_tags,
        n_samples=n_samples,
        seed=seed,
        now=_at_temperature(model, data, arcs),
        arcs=arcs,
        rankings=coverage.rankings(arcs),
        before=before,
    )


def _measure_votes(
    nlp: Language,
    committee: DynOracleCommittee,
    path: str | Path,
    votes: VoteCalibration | None,
    gold_tags: bool,
) -> ConfidenceReport:
    """The report about a committee; see `measure`."""
    data = VoteSet(committee, HeldOut.read(nlp, committee, path, gold_tags))
    own = committee.calibration
    arcs = data.arcs(votes or own)
    return ConfidenceReport(
        path=data.path,
        gold_tags=gold_tags,
        n_samples=None,
        seed=0,
        now=_of_votes(arcs, votes or own),
        arcs=arcs,
        rankings=coverage.rankings(arcs),
        before=None if votes is None else _of_votes(data.arcs(own), own),
    )


def _of_votes(
    arcs: ArcConfidence, votes: VoteCalibration | None
) -> TemperatureCalibration:
    measured = reliability.calibrations(None, arcs)
    return TemperatureCalibration(None, votes is not None, measured)


def _at_temperature(
    model: Model, data: CalibrationSet, arcs: ArcConfidence
) -> TemperatureCalibration:
    measured = reliability.calibrations(data.decisions(model), arcs)
    return TemperatureCalibration(
        float(model.temperature or 0), model.is_fitted, measured
    )
