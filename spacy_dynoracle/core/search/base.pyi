from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.model import Model
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from ..systems.base import TransitionSystem

class Search:
    def check_system(self, system: TransitionSystem) -> None: ...
    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]: ...
