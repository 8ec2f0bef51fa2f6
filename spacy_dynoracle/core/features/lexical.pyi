from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

def affixes(form: str) -> tuple[int, ...]: ...

class StringTable:
    def __new__(
        cls, function: Callable[[str], tuple[int, ...]], width: int, capacity: int
    ) -> Self: ...
    @property
    def width(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    def fill(
        self,
        table: NDArray[np.uint64],
        source: int,
        strings: Any,
        columns: Sequence[int],
    ) -> None: ...
