"""Errors in a config, in the form that spaCy's commands show without a traceback."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

from thinc.api import ConfigValidationError

Function = TypeVar("Function", bound=Callable[..., Any])
# Larger numbers do not fit into the counters of the core.
MAX_COUNT = 2**31 - 1


@contextmanager
def config_block(*location: str) -> Iterator[None]:
    """Turn a ValueError into a `ConfigValidationError` (which is one) that says where
    in the config it arose. Also a decorator.

    Args:
        location: The path of the block, such as ("components", "dynoracle_parser").
    """
    try:
        yield
    except ConfigValidationError:
        raise
    except ValueError as error:
        raise ConfigValidationError(
            errors=[{"loc": location, "msg": str(error)}], show_config=False
        ) from error


def block_function(*location: str) -> Callable[[Function], Function]:
    """A decorator of functions that make a block of the config.

    Numbers in quotes, which spaCy lets through as they are, and any ValueError become
    an error that says where in the config it arose.

    Args:
        location: As of `config_block`. Annotations must be strings.
    """

    def decorated(function: Function) -> Function:
        expected = signature(function)
        numbers = {
            name: parameter.annotation.partition(" ")[0]
            for name, parameter in expected.parameters.items()
            if parameter.annotation.startswith(("int", "float"))
        }

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with config_block(*location):
                given = expected.bind(*args, **kwargs).arguments
                for name, value in given.items():
                    if name in numbers and isinstance(value, str):
                        raise ValueError(
                            f"{name} = {value!r}: expected a number ({numbers[name]}), "
                            f"which has no quotes"
                        )
                return function(*args, **kwargs)

        return checked  # type: ignore[return-value]

    return decorated


def check_choice(key: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """Raise ValueError unless a setting is one of its choices."""
    if value not in choices:
        expected = ", ".join("null" if c is None else repr(c) for c in choices)
        raise ValueError(f"{key} = {value!r}: expected one of {expected}")


def check_count(key: str, value: int, lowest: int, highest: int = MAX_COUNT) -> None:
    """Raise ValueError if a setting is not an integer from the lowest to the highest
    possible value.
    """
    if not isinstance(value, int):
        raise ValueError(f"{key} = {value!r}: expected an integer")
    if value < lowest:
        raise ValueError(f"{key} = {value}: expected at least {lowest}")
    if value > highest:
        raise ValueError(f"{key} = {value}: expected at most {highest}")


def check_type(key: str, value: Any, expected: type) -> None:
    """Raise ValueError unless a block of the config made the right kind of thing."""
    if not isinstance(value, expected):
        raise ValueError(
            f"the block {key} made {value!r}: expected a registered {expected.__name__}"
        )


def check_unicode(name: str, text: str) -> None:
    """Raise ValueError for a text that no file can have: one with half of a surrogate
    pair.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} {text!r} is no Unicode: {error.reason}") from error
