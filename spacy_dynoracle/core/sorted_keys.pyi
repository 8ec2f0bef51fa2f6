from typing import Any

import numpy as np
from numpy.typing import NDArray

class SortedKeys:
    def __init__(self, keys: NDArray[np.uint64]) -> None: ...
    def __len__(self) -> int: ...
    def pick(
        self, values: NDArray[np.int32], wanted: NDArray[np.uint64], missing: int
    ) -> np.ndarray[Any, np.dtype[np.int32]]: ...
