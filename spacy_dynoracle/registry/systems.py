"""Transition systems of a researcher's own module."""

from __future__ import annotations

from spacy.util import registry

from ..core.systems import SYSTEMS
from ..core.systems.base import TransitionSystem
from ..util.config_errors import config_block
from .default_features import DEFAULT_FEATURES


def register_system(system: type[TransitionSystem], version: int = 1) -> str:
    """Make a transition system known to configs and to model files.

    system: a subclass of `TransitionSystem` whose constructor takes root, single_root
        and root_label_constraint. Its `default_features` is the name of a set of
        `DEFAULT_FEATURES`.

    Call it where the system is defined, and give that module to `spacy train` with
    `--code`; import it before a pipeline with such a parser is loaded. Returns the
    name of the block in a config, `spacy_dynoracle.NAME.vVERSION`.

    Raises TypeError for anything but a subclass of `TransitionSystem`, and ValueError
    for the name of another system and for unknown default features.
    """
    if not (isinstance(system, type) and issubclass(system, TransitionSystem)):
        raise TypeError(f"{system!r} is not a subclass of TransitionSystem")
    name = system.__name__
    if SYSTEMS.get(name, system) is not system:
        raise ValueError(f"there is a transition system {name!r} already: rename yours")
    if system.default_features not in DEFAULT_FEATURES:
        raise ValueError(
            f"{name} states default_features = {system.default_features!r}: expected "
            f"one of {', '.join(DEFAULT_FEATURES)}"
        )
    first_place = system.root_places[0]

    def make(
        root: str = first_place,
        single_root: bool | None = None,
        root_label_constraint: bool = False,
    ) -> TransitionSystem:
        return system(root, single_root, root_label_constraint)

    block = f"spacy_dynoracle.{name}.v{version}"
    SYSTEMS[name] = system
    registry.misc(block, func=config_block("system")(make))
    return block
