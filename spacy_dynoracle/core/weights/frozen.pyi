from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypedDict, type_check_only

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from .scorer import Scorer, Scoring

MAX_SIZE: Final[int]
SIZES: Final[tuple[str, ...]]
RESUME: Final[str]
ARRAYS: Final[dict[str, int]]
SMALLEST_SCALE: Final[float]
LARGEST_SCALE: Final[float]

@type_check_only
class _Sizes(TypedDict):
    n_actions: int
    scale: float
    n_features: int
    n_parameters: int

def check_sizes(sizes: Mapping[str, object]) -> None: ...

class FrozenWeights(Scorer):
    @property
    def scale(self) -> float: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_parameters(self) -> int: ...
    @staticmethod
    def from_weights(
        weights: Mapping[tuple[int, int], float], n_actions: int, scale: float = 1024.0
    ) -> FrozenWeights: ...
    @staticmethod
    def from_arrays(
        arrays: Mapping[str, NDArray[np.uint8]], sizes: _Sizes
    ) -> FrozenWeights: ...
    def sums(
        self, keys: NDArray[np.uint64] | Sequence[int], *, vectorized: bool = True
    ) -> NDArray[np.int32]: ...
    def best_of(
        self,
        keys: NDArray[np.uint64] | Sequence[int],
        counts: Sequence[bool] | NDArray[np.bool_],
        *,
        vectorized: bool = True,
    ) -> tuple[int, int] | None: ...
    def arrays(self) -> dict[str, NDArray[np.uint8]]: ...
    def sizes(self) -> _Sizes: ...
    def freeze(self) -> FrozenWeights: ...
    def without_resume(self) -> FrozenWeights: ...
    def __reduce__(
        self,
    ) -> tuple[
        Callable[[Mapping[str, NDArray[np.uint8]], _Sizes], FrozenWeights],
        tuple[dict[str, NDArray[np.uint8]], _Sizes],
    ]: ...

class FrozenScoring(Scoring):
    def __new__(cls, weights: FrozenWeights, vectorized: bool = True) -> Self: ...
