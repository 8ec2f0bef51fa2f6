from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from spacy.tokens import Doc

BUILT_FOR: str

def read(
    docs: list[Doc], attributes: Sequence[int], table: npt.NDArray[np.uint64]
) -> bool: ...
def write(
    docs: list[Doc], tables: list[npt.NDArray[np.uint64]], attributes: Sequence[int]
) -> list[int]: ...
