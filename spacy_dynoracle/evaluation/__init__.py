"""Scores of parsers and of files with parses, their errors, and their differences.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .attachment import SCORED_WORDS, Scores, evaluate_sentences
from .comparison import Comparison, MeasureComparison, compare
from .conll2018 import TextScore
from .cross_validation import (
    CrossValidation,
    CrossValidationSettings,
    cross_validate,
)
from .curves import CurvePoint, LearningCurve, learning_curve
from .errors import Confusion, ErrorAnalysis, SentenceErrors, WordError
from .groups import GroupScores
from .pipelines import (
    EvaluationResult,
    TextEvaluationResult,
    evaluate,
    evaluate_files,
    evaluate_text,
)
from .trials import TrialSettings
from .words import words_found

__all__ = [
    "SCORED_WORDS",
    "Comparison",
    "Confusion",
    "CrossValidation",
    "CrossValidationSettings",
    "CurvePoint",
    "ErrorAnalysis",
    "EvaluationResult",
    "GroupScores",
    "LearningCurve",
    "MeasureComparison",
    "Scores",
    "SentenceErrors",
    "TextEvaluationResult",
    "TextScore",
    "TrialSettings",
    "WordError",
    "compare",
    "cross_validate",
    "evaluate",
    "evaluate_files",
    "evaluate_sentences",
    "evaluate_text",
    "learning_curve",
    "words_found",
]
