"""How far to trust the probabilities of a parser."""

from ..committee.calibration import VoteCalibration
from .fitting import FittedTemperature, fit, set_temperature
from .report import ConfidenceReport, measure
from .selection import RankedSentences, UncertainSentence, rank_sentences
from .uncertainty import arc_probabilities, keep_sure
from .votes import FittedVotes, fit_votes, set_votes

__all__ = [
    "ConfidenceReport",
    "FittedTemperature",
    "FittedVotes",
    "RankedSentences",
    "UncertainSentence",
    "VoteCalibration",
    "arc_probabilities",
    "fit",
    "fit_votes",
    "keep_sure",
    "measure",
    "rank_sentences",
    "set_temperature",
    "set_votes",
]
