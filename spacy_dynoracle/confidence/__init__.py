"""How far to trust the probabilities of a parser."""

from .fitting import FittedTemperature, fit, set_temperature
from .report import ConfidenceReport, measure
from .selection import RankedSentences, UncertainSentence, rank_sentences
from .uncertainty import MEASURES, arc_probabilities, ask_for, keep_sure

__all__ = [
    "MEASURES",
    "ConfidenceReport",
    "FittedTemperature",
    "RankedSentences",
    "UncertainSentence",
    "arc_probabilities",
    "ask_for",
    "fit",
    "keep_sure",
    "measure",
    "rank_sentences",
    "set_temperature",
]
