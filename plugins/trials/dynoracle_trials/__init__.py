"""Pipelines that are trained on parts of a treebank and parse others (cross-validation
and learning curves), and the sentences to annotate next.
"""

from .cross_validation import CrossValidation, CrossValidationSettings, cross_validate
from .curves import CurvePoint, LearningCurve, learning_curve
from .selection import RankedSentences, UncertainSentence, rank_sentences
from .trials import TrialSettings

__all__ = [
    "CrossValidation",
    "CrossValidationSettings",
    "CurvePoint",
    "LearningCurve",
    "RankedSentences",
    "TrialSettings",
    "UncertainSentence",
    "cross_validate",
    "learning_curve",
    "rank_sentences",
]
