from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

class SortedKeys:
    def __new__(cls, keys: NDArray[np.uint64]) -> Self: ...
    def __len__(self) -> int: ...
    def pick(
        self, values: NDArray[np.int32], wanted: NDArray[np.uint64], missing: int
    ) -> np.ndarray[Any, np.dtype[np.int32]]: ...
    def __reduce__(
        self,
    ) -> tuple[
        Callable[[NDArray[np.uint64]], SortedKeys], tuple[NDArray[np.uint64]]
    ]: ...
