"""The pipeline component `dynoracle_senter`.

The names listed in `__all__` are public. The modules of this package are internal.
"""

from .component import DynOracleSenter
from .start_records import register_extensions

__all__ = ["DynOracleSenter", "register_extensions"]
