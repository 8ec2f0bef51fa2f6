import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

class TreeArrays:
    def __new__(cls, n_words: int, root_label: int) -> Self: ...
    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def labels(self) -> NDArray[np.int32]: ...
