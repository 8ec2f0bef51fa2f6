import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Contraction:
    def __new__(cls, weights: NDArray[np.float64]) -> Self: ...

def spanning_tree(
    weights: ArrayLike, single_root: bool = False
) -> NDArray[np.int32]: ...
