from typing_extensions import Self

from ..features.extractor import Extractor
from ..state.configuration import RootRule
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
        root_rule: RootRule | None = None,
        keeps_rows: bool = False,
        temperature: float | None = None,
    ) -> Self: ...
