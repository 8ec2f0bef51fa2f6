"""Derivations step by step, as data, text and HTML.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from ..core.results import ScoredTransition
from .derivation import Contribution, Contributions, Derivation, LabelledHeads, Step
from .explanation import Explanation, explain

__all__ = [
    "Contribution",
    "Contributions",
    "Derivation",
    "Explanation",
    "LabelledHeads",
    "ScoredTransition",
    "Step",
    "explain",
]
