from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from spacy.tokens import Doc

READABLE: dict[str, int]
WRITABLE: dict[str, int]
N_FLAGS: int

def doc_size() -> int: ...
def connect() -> None: ...
def read(
    docs: list[Doc], fields: Sequence[int], table: npt.NDArray[np.uint64]
) -> bool: ...
def write(
    docs: list[Doc], tables: list[npt.NDArray[np.uint64]], fields: Sequence[int]
) -> list[int]: ...
def write_trees(docs: list[Doc], tables: list[npt.NDArray[np.uint64]]) -> list[int]: ...
