"""The pipeline component `dynoracle_committee`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .component import DynOracleCommittee

__all__ = ["DynOracleCommittee"]
