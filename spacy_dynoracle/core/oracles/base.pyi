from typing import Any

from ..state.configuration import Configuration
from ..state.gold import GoldTree
from ..systems.base import TransitionSystem

class Oracle:
    @property
    def complete(self) -> bool: ...
    @property
    def needs_full_tree(self) -> bool: ...
    def correct(
        self, system: TransitionSystem, c: Configuration, gold: GoldTree
    ) -> set[str]: ...
    def __reduce__(self) -> tuple[type[Oracle], tuple[Any, ...]]: ...
