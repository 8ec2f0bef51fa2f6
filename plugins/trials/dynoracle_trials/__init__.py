"""Tools for small treebanks: cutting one file into train, dev and test, pipelines that
are trained on parts of a treebank and parse others (cross-validation and learning
curves), and the sentences to annotate next.
"""

from .cross_validation import CrossValidation, CrossValidationSettings, cross_validate
from .curves import CurvePoint, LearningCurve, learning_curve
from .selection import RankedSentences, UncertainSentence, rank_sentences
from .splitting import Part, Split, split
from .trials import TrialSettings

__all__ = [
    "CrossValidation",
    "CrossValidationSettings",
    "CurvePoint",
    "LearningCurve",
    "Part",
    "RankedSentences",
    "Split",
    "TrialSettings",
    "UncertainSentence",
    "cross_validate",
    "learning_curve",
    "rank_sentences",
    "split",
]
