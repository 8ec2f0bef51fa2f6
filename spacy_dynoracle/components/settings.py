"""The settings of a component: a frozen dataclass.

The fields of the dataclass are the keys of the config, with their defaults. This module
makes from it the default config, the signature of the factory for spaCy, and the
keyword arguments of the component and its copies.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field, field, fields
from typing import Any, TypeVar, get_type_hints

from spacy.language import Language
from spacy.util import registry

C = TypeVar("C")


def block(registered: str, *, of: str = "misc", **settings: Any) -> Any:
    """A field whose default is made by a registered function.

    Args:
        registered: The name of the function.
        of: Its registry.
        settings: Its arguments.
    """
    config = {f"@{of}": registered, **settings}

    def make() -> Any:
        return registry.resolve({"block": config})["block"]

    return field(default_factory=make, metadata={"config": config})


def internal(default: Any) -> Any:
    """A field that is not a key of the config: only other components set it."""
    return field(default=default, metadata={"internal": True})


def default_config(settings: type) -> dict[str, Any]:
    """The default config of a component with these settings."""
    return {of.name: of.metadata.get("config", of.default) for of in _keys(settings)}


def keywords(settings: Any) -> dict[str, Any]:
    """The keyword arguments that make equal settings."""
    return {of.name: getattr(settings, of.name) for of in fields(settings) if of.init}


def register_factory(
    name: str, component: Callable[..., C], settings: type, **meta: Any
) -> Callable[..., C]:
    """Register the factory of a component, with the signature that spaCy checks configs
    by.

    Args:
        name: The name of the factory.
        meta: Further arguments of `Language.factory`.

    Returns:
        The factory, which an entry point names.
    """

    def make(nlp: Language, name: str, **given: Any) -> C:
        return component(nlp.vocab, name, **given)

    kinds = get_type_hints(settings)
    names = [of.name for of in _keys(settings)]
    parameters = {"nlp": Language, "name": str} | {key: kinds[key] for key in names}
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                key, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=kind
            )
            for key, kind in parameters.items()
        ],
        return_annotation=component,
    )
    made: Callable[..., C] = Language.factory(
        name, default_config=default_config(settings), func=make, **meta
    )
    return made


def _keys(settings: type) -> list[Field[Any]]:
    """The fields that are keys of the config."""
    return [f for f in fields(settings) if f.init and "internal" not in f.metadata]
