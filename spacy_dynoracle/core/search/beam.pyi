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
    def candidates(
        self, model: Model, sentences: list[Sentence]
    ) -> list[Candidates]: ...
