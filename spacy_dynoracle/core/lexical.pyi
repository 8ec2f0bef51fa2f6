from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

def affixes(form: str) -> tuple[int, ...]: ...
def pack_flags(flags: NDArray[np.uint64], packed: NDArray[np.uint64]) -> None: ...

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
        ids: NDArray[np.uint64],
        strings: Any,
        table: NDArray[np.uint64],
        columns: NDArray[np.int32],
    ) -> None: ...
