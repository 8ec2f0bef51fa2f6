"""How far to trust the probabilities of a parser."""

from ..committee.calibration import VoteCalibration
from .fitting import FittedTemperature, fit, set_temperature
from .report import ConfidenceReport, measure
from .sure_arcs import arc_probabilities, keep_sure
from .votes import FittedVotes, fit_votes, set_votes

__all__ = [
    "ConfidenceReport",
    "FittedTemperature",
    "FittedVotes",
    "VoteCalibration",
    "arc_probabilities",
    "fit",
    "fit_votes",
    "keep_sure",
    "measure",
    "set_temperature",
    "set_votes",
]
