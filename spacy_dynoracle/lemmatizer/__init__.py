"""The pipeline component `dynoracle_lemmatizer`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .component import DynOracleLemmatizer

__all__ = ["DynOracleLemmatizer"]
