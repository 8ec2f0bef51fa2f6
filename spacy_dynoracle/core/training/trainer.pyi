from typing import ClassVar

from typing_extensions import Self

from ..features.extractor import Extractor
from ..learners.base import Learner
from ..oracles.base import Oracle
from ..random import Random
from ..state.configuration import RootRule
from ..state.gold import GoldTree
from ..state.sentence import Sentence
from ..systems.actions import Actions
from ..systems.base import TransitionSystem
from ..systems.table import Costs
from .exploration import Exploration

def check_exploration(oracle: Oracle, exploration: Exploration) -> None: ...
def check_sampling(exploration: Exploration, learner: Learner) -> None: ...
def check_learner(learner: Learner, exploration: Exploration) -> None: ...
def check_oracle(oracle: Oracle, system: TransitionSystem) -> None: ...

class Trainer:
    repeats_decisions: ClassVar[bool]
    learns_derivations: ClassVar[bool]

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
    def system(self) -> TransitionSystem: ...
    @property
    def root_rule(self) -> RootRule: ...
    @property
    def extractor(self) -> Extractor: ...
    @property
    def actions(self) -> Actions: ...
    @property
    def oracle(self) -> Oracle: ...
    @property
    def exploration(self) -> Exploration: ...
    @property
    def learner(self) -> Learner: ...
    @property
    def random(self) -> Random: ...
    @property
    def n_decisions(self) -> int: ...
    @property
    def n_errors(self) -> int: ...
    @property
    def n_given_up(self) -> int: ...
    def add_action(self, name: str, label: str | None = None) -> None: ...
    def train(
        self, examples: list[tuple[Sentence, GoldTree]], iteration: int
    ) -> tuple[int, int]: ...
    @property
    def costs(self) -> Costs: ...
