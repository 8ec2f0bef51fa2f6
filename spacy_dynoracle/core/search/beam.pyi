from typing_extensions import Self

from spacy_dynoracle.core.search.lineages import Lineages

from ..features.extractor import Extractor
from ..state.configuration import RootRule
from ..systems.actions import Actions
from ..systems.base import TransitionSystem
from ..weights.scorer import Scorer
from .memo import ScoreMemo

MAX_BEAM_SIZE: int

def check_left_to_right(system: TransitionSystem) -> None: ...

class Beam(Lineages):
    def __new__(
        cls,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        weights: Scorer,
        size: int,
        temperature: float | None = None,
        root_rule: RootRule | None = None,
    ) -> Self: ...
    @property
    def size(self) -> int: ...
    @property
    def memo(self) -> ScoreMemo: ...
