"""Pipelines that are trained on parts of a treebank and parse others: cross-validation
and learning curves.
"""

from .cross_validation import CrossValidation, CrossValidationSettings, cross_validate
from .curves import CurvePoint, LearningCurve, learning_curve
from .trials import TrialSettings

__all__ = [
    "CrossValidation",
    "CrossValidationSettings",
    "CurvePoint",
    "LearningCurve",
    "TrialSettings",
    "cross_validate",
    "learning_curve",
]
