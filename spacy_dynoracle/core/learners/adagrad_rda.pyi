from typing_extensions import Self

from ..weights.frozen import FrozenWeights
from .base import Learner

SMALLEST_GRADIENT: float
SMALLEST: float
LARGEST: float

class AdaGradRDA(Learner):
    def __new__(
        cls,
        n_actions: int,
        alpha: float = 1.0,
        rho: float = 0.01,
        l1: float = 0.0,
        smallest_gradient: float = SMALLEST_GRADIENT,
    ) -> Self: ...
    def resize(self, n_actions: int) -> None: ...
    def resume(self, weights: FrozenWeights) -> None: ...
    def freeze(self) -> FrozenWeights: ...
    @property
    def alpha(self) -> float: ...
    @property
    def rho(self) -> float: ...
    @property
    def l1(self) -> float: ...
    @property
    def smallest_gradient(self) -> float: ...
    @property
    def n_updates(self) -> int: ...
