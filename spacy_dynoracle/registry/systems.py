"""Transition systems as blocks of a config: those of this package and of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import Parameter, Signature, getdoc
from types import SimpleNamespace
from typing import Any

from spacy.util import registry

from ..core.systems import SYSTEMS
from ..core.systems.base import TransitionSystem
from ..util.config_errors import config_block

Factory = Callable[..., TransitionSystem]
# The functions behind the blocks by the names of the systems. The entry points that
# setup.py writes name them as attributes.
FACTORIES = SimpleNamespace()
# What a system offers to Python alone.
_OF_THE_VIEW = ("legal", "costs", "cost", "keeping", "apply", "finish", "is_terminal")


def register_system(system: type[TransitionSystem]) -> str:
    """Make a transition system known to configs and to model files.

    Call it where the system is defined, and give that module to `spacy train` with
    `--code`; import it before a pipeline with such a parser is loaded.

    Args:
        system: A subclass of `TransitionSystem` whose constructor takes root,
            single_root and root_label_constraint. Its `default_features` and, unless it
            is None, `default_features_with_both_tags` are registered names of feature
            sets.

    Returns:
        The name of the block in a config, `spacy_dynoracle.NAME.v1`.

    Raises:
        TypeError: For anything but a subclass of `TransitionSystem`, and for one with
            methods of its own that training and parsing do not call.
        ValueError: For the name of another system and for unknown feature sets.
    """
    if not (isinstance(system, type) and issubclass(system, TransitionSystem)):
        raise TypeError(f"{system!r} is not a subclass of TransitionSystem")
    name = system.__name__
    for method in _OF_THE_VIEW:
        if getattr(system, method) is not getattr(TransitionSystem, method):
            raise TypeError(
                f"training and parsing do not call {name}.{method}: write the "
                "transitions of the system in Cython (docs/contributing_system.md)"
            )
    if SYSTEMS.get(name, system) is not system:
        raise ValueError(f"there is a transition system {name!r} already: rename yours")
    for attribute in ("default_features", "default_features_with_both_tags"):
        features = getattr(system, attribute)
        if features is not None and features not in registry.misc:
            raise ValueError(
                f"{name} states {attribute} = {features!r}: expected the registered "
                f"name of a feature set, such as 'spacy_dynoracle.RichHybrid.v1'"
            )
    block = f"spacy_dynoracle.{name}.v1"
    SYSTEMS[name] = system
    factory = factory_of(system)
    setattr(FACTORIES, name, factory)
    registry.misc(block, func=factory)
    return block


def factory_of(system: type[TransitionSystem]) -> Factory:
    """The function behind the block of a system.

    Its parameters are the settings of the system; a system that offers one placement of
    ROOT has no parameter `root`.
    """
    first_place = system.root_places[0]
    settings = [
        ("root", str, first_place),
        (system.single_root_name, bool | None, None),
        ("root_label_constraint", bool, False),
    ]
    if len(system.root_places) == 1:
        del settings[0]
    signature = Signature(
        [
            Parameter(
                name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
            )
            for name, kind, default in settings
        ],
        return_annotation=TransitionSystem,
    )

    def make(*args: Any, **kwargs: Any) -> TransitionSystem:
        given = signature.bind(*args, **kwargs).arguments
        return system(
            given.get("root", first_place),
            given.get(system.single_root_name),
            given.get("root_label_constraint", False),
        )

    snake_case = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", system.__name__).lower()
    make.__name__ = make.__qualname__ = f"make_{snake_case}"
    make.__doc__ = _description(system)
    # What spaCy checks a config against.
    make.__signature__ = signature  # type: ignore[attr-defined]
    return config_block("system")(make)


def _description(system: type[TransitionSystem]) -> str:
    """The docstring of a block: the first paragraph of the system, and its settings."""
    # Cython writes the signature of a class in front of its docstring.
    paragraphs = (getdoc(system) or "").split("\n\n")
    (title, *_) = [p for p in paragraphs if not p.startswith(f"{system.__name__}(")]
    *others, last = (f'"{place}"' for place in system.root_places)
    lines = [
        title,
        "",
        "Args:",
        f"    {system.single_root_name} (bool | None): {system.single_root_help}; None",
        "        switches it on wherever one root per sentence is promised.",
        "    root_label_constraint (bool): Whether the label of the root is legal",
        "        exactly on arcs out of ROOT, and no other label there.",
    ]
    if others:
        places = f"{', '.join(others)} or {last}"
        lines.insert(3, f"    root (str): Where ROOT stands: {places}.")
    return "\n".join(lines)


for _system in [*SYSTEMS.values()]:
    if _system.builds_trees:
        register_system(_system)
