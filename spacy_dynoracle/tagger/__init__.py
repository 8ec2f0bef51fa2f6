"""The pipeline component `dynoracle_tagger`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .component import DynOracleTagger
from .jackknifing import jackknife

__all__ = ["DynOracleTagger", "jackknife"]
