"""Scores of parsers and of files with parses, their errors, and their differences.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .attachment import SCORED_WORDS, Scores, evaluate_sentences
from .comparison import Comparison, MeasureComparison, compare
from .conll2018 import TextScore
from .errors import Confusion, ErrorAnalysis, GroupScores, SentenceErrors, WordError
from .pipelines import (
    EvaluationResult,
    TextEvaluationResult,
    evaluate,
    evaluate_files,
    evaluate_text,
)
from .words import words_found

__all__ = [
    "SCORED_WORDS",
    "Comparison",
    "Confusion",
    "ErrorAnalysis",
    "EvaluationResult",
    "GroupScores",
    "MeasureComparison",
    "Scores",
    "SentenceErrors",
    "TextEvaluationResult",
    "TextScore",
    "WordError",
    "compare",
    "evaluate",
    "evaluate_files",
    "evaluate_sentences",
    "evaluate_text",
    "words_found",
]
