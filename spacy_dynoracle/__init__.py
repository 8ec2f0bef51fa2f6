"""Transition-based dependency parsing for spaCy, trained with dynamic oracles.

The component is there as ``nlp.add_pipe("dynoracle_parser")`` without any import. This
module exports the algorithms, the exceptions, `register_system` and `set_threads`. The
packages `treebank`, `evaluation`, `explain`, `confidence`, `parser`, `senter`,
`tagger`, `lemmatizer`, `tokenizer`, `committee`, `clusters` and `tables` export the
rest of the public names in their `__all__`; everything else is internal and may change
in any version.
"""

from importlib import import_module
from typing import TYPE_CHECKING

try:
    from .core.features.extractor import Extractor
except ModuleNotFoundError as error:
    if not (error.name or "").startswith(__name__):
        raise
    raise ImportError(
        f"spacy_dynoracle in {__path__[0]} is not compiled: run 'pip install -e .' "
        "there, or start Python in another folder to use the installed package"
    ) from error
from .core.features.templates import FeatureTemplates
from .core.features.zhang_nivre_2011 import ZHANG_NIVRE_2011
from .core.oracles.base import DynamicOracle, NonDeterministicOracle
from .core.oracles.static import StaticOracle
from .core.state.configuration import Configuration, RootRule
from .core.state.gold import GoldTree
from .core.state.projectivity import deprojectivize, is_projective, projectivize
from .core.systems.arc_eager import ArcEager
from .core.systems.arc_hybrid import ArcHybrid
from .core.systems.arc_hybrid_swap import ArcHybridSwap
from .core.systems.arc_standard import ArcStandard
from .core.systems.covington import Covington
from .core.systems.easy_first import EasyFirst
from .core.systems.non_monotonic import NonMonotonicArcEager
from .core.training.exploration import ErrorExploration, NoExploration
from .errors import ModelFileError, PipelineError, TreebankError

if TYPE_CHECKING:
    from .components.threads import set_threads
    from .registry.systems import register_system

# Importing spaCy takes several times as long as importing the algorithms.
_WITH_SPACY = {
    "register_system": ".registry.systems",
    "set_threads": ".components.threads",
}


def __getattr__(name: str) -> object:
    if name not in _WITH_SPACY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WITH_SPACY[name], __name__), name)


__version__ = "1.0.0"

__all__ = [
    "ZHANG_NIVRE_2011",
    "ArcEager",
    "ArcHybrid",
    "ArcHybridSwap",
    "ArcStandard",
    "Configuration",
    "Covington",
    "DynamicOracle",
    "EasyFirst",
    "ErrorExploration",
    "Extractor",
    "FeatureTemplates",
    "GoldTree",
    "ModelFileError",
    "NoExploration",
    "NonDeterministicOracle",
    "NonMonotonicArcEager",
    "PipelineError",
    "RootRule",
    "StaticOracle",
    "TreebankError",
    "__version__",
    "deprojectivize",
    "is_projective",
    "projectivize",
    "register_system",
    "set_threads",
]
