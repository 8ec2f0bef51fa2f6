from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

def count_nonzero(table: npt.NDArray[np.uint64]) -> list[int]: ...
def place_trees(
    table: npt.NDArray[np.uint64],
    words: npt.NDArray[np.int64],
    lengths: Sequence[int],
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    ids: npt.NDArray[np.uint64],
    root_id: int | np.uint64,
) -> None: ...
def has_marked(
    heads: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int32],
    marks: npt.NDArray[np.uint8],
) -> bool: ...
