from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

class Sentence:
    def __new__(
        cls, attributes: NDArray[np.uint64], nullable: Iterable[int] = ()
    ) -> Self: ...
    def __len__(self) -> int: ...
