"""Scores of parsers: attachment scores, and scores of parses of raw text.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .attachment import SCORED_WORDS, RelationScores, Scores, evaluate_sentences
from .conll2018 import TextScore
from .pipelines import EvaluationResult, TextEvaluationResult, evaluate, evaluate_text
from .words import words_found

__all__ = [
    "SCORED_WORDS",
    "EvaluationResult",
    "RelationScores",
    "Scores",
    "TextEvaluationResult",
    "TextScore",
    "evaluate",
    "evaluate_sentences",
    "evaluate_text",
    "words_found",
]
