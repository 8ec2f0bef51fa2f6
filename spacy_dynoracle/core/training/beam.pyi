from typing_extensions import Self

from ..features.extractor import Extractor
from ..learners.base import Learner
from ..oracles.base import Oracle
from ..state.configuration import RootRule
from ..systems.actions import Actions
from ..systems.base import TransitionSystem
from .exploration import Exploration
from .trainer import Trainer

class BeamTrainer(Trainer):
    def __new__(
        cls,
        system: TransitionSystem,
        extractor: Extractor,
        actions: Actions,
        oracle: Oracle,
        exploration: Exploration,
        learner: Learner,
        seed: int = 0,
        beam_size: int = 1,
        root_rule: RootRule | None = None,
    ) -> Self: ...
    @property
    def beam_size(self) -> int: ...
