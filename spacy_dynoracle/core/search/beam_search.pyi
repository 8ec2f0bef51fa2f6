from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..model.model import Model
from ..results import Candidates
from ..state.configuration import RootRule
from ..state.sentence import Sentence
from ..systems.base import TransitionSystem
from .base import Search

class BeamSearch(Search):
    def __new__(cls, beam_size: int = 64, n_best: int = 0) -> Self: ...
    @property
    def beam_size(self) -> int: ...
    @property
    def n_best(self) -> int: ...
    def check_system(self, system: TransitionSystem) -> None: ...
    def parse(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def candidates(
        self,
        model: Model,
        sentences: list[Sentence],
        root_rule: RootRule | None = None,
    ) -> list[Candidates]: ...
    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]: ...
