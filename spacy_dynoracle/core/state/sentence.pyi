from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

class Sentence:
    def __init__(
        self, attributes: NDArray[np.uint64], nullable: Iterable[int] = ()
    ) -> None: ...
    def __len__(self) -> int: ...

def consecutive_sentences(
    attributes: NDArray[np.uint64], bounds: Iterable[int], nullable: Iterable[int] = ()
) -> list[Sentence]: ...
