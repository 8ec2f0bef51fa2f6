from typing_extensions import Self

from ..actions import Actions
from ..features.extractor import Extractor
from ..scorer import Scorer
from ..systems.base import TransitionSystem
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
