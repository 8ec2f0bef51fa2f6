from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..actions import Actions
from ..features.extractor import Extractor
from ..model import Model
from ..results import Candidates
from ..scorer import Scorer
from ..sentence import Sentence
from ..systems.base import TransitionSystem
from .base import Search
from .memo import ScoreMemo

MAX_BEAM_SIZE: int

def check_left_to_right(system: TransitionSystem) -> None: ...

class Beam:
    def __new__(
        cls,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        weights: Scorer,
        size: int,
        temperature: float | None = None,
    ) -> Self: ...
    @property
    def size(self) -> int: ...
    @property
    def memo(self) -> ScoreMemo: ...

class BeamSearch(Search):
    def __new__(cls, beam_size: int = 64) -> Self: ...
    @property
    def beam_size(self) -> int: ...
    def check_system(self, system: TransitionSystem) -> None: ...
    def parse(
        self, model: Model, sentences: list[Sentence]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def candidates(
        self, model: Model, sentences: list[Sentence]
    ) -> list[Candidates]: ...
    def __reduce__(self) -> tuple[type[Search], tuple[Any, ...]]: ...
