"""The pipeline component `dynoracle_parser`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from typing import TYPE_CHECKING, Any

from .best_trees import BestTrees
from .component import DynOracleParser
from .extensions import register_extensions
from .k_best import DocTree, KBest

if TYPE_CHECKING:
    from .beam_scores import BeamLosses, BeamScores, evaluate_beam

__all__ = [
    "BeamLosses",
    "BeamScores",
    "BestTrees",
    "DocTree",
    "DynOracleParser",
    "KBest",
    "evaluate_beam",
    "register_extensions",
]


def __getattr__(name: str) -> Any:
    # spaCy imports this package in every process that makes a pipeline, and only
    # evaluation needs these names and the modules behind them.
    if name in ("BeamLosses", "BeamScores", "evaluate_beam"):
        from . import beam_scores

        return getattr(beam_scores, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
