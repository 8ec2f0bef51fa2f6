from typing_extensions import Self

from ..features.extractor import Extractor
from ..systems.actions import Actions
from ..systems.base import TransitionSystem
from ..weights.scorer import Scorer

class Stepper:
    def __new__(
        cls,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        weights: Scorer,
        keeps_rows: bool = False,
        temperature: float | None = None,
    ) -> Self: ...
