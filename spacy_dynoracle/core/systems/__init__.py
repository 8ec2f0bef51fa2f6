"""Transition systems, one file each."""

from importlib import import_module
from pkgutil import iter_modules

from .base import TransitionSystem


def _systems() -> dict[str, type[TransitionSystem]]:
    """The subclasses of `TransitionSystem` that the modules of this folder define."""
    found = {}
    for name in sorted(module.name for module in iter_modules(__path__)):
        module = import_module(f"{__name__}.{name}")
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, TransitionSystem)
                and value is not TransitionSystem
                and value.__module__ == module.__name__
            ):
                found[value.__name__] = value
    return found


# Every system under the name that configs and model files use.
SYSTEMS = _systems()
