"""Errors in a config, in the form that spaCy's commands show without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thinc.api import ConfigValidationError


@contextmanager
def config_block(*location: str) -> Iterator[None]:
    """Turn a ValueError into a `ConfigValidationError` (which is one) that says where
    in the config it arose. Also a decorator.

    location: the path of the block, such as ("components", "dynoracle_parser").
    """
    try:
        yield
    except ConfigValidationError:
        raise
    except ValueError as error:
        raise ConfigValidationError(
            errors=[{"loc": location, "msg": str(error)}], show_config=False
        ) from error
