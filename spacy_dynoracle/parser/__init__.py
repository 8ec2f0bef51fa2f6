"""The pipeline component `dynoracle_parser`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .best_trees import BestTrees
from .component import DynOracleParser
from .extensions import register_extensions
from .k_best import DocTree, KBest

__all__ = ["BestTrees", "DocTree", "DynOracleParser", "KBest", "register_extensions"]
