"""Errors in a config, in the form that spaCy's commands show without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


def check_choice(key: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """Raise ValueError unless a setting is one of its choices."""
    if value not in choices:
        expected = ", ".join("null" if c is None else repr(c) for c in choices)
        raise ValueError(f"{key} = {value!r}: expected one of {expected}")


def check_type(key: str, value: Any, expected: type) -> None:
    """Raise ValueError unless a block of the config made the right kind of thing."""
    if not isinstance(value, expected):
        raise ValueError(
            f"the block {key} made {value!r}: expected a registered {expected.__name__}"
        )
