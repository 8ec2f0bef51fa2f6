"""Types of NumPy arrays, by what they hold, and memory for them."""

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
# Ids of strings, as spaCy has them.
IdArray = npt.NDArray[np.uint64]

# Bytes of a cache line.
ALIGNMENT = 64
# Memory of at least as many bytes begins where large pages do, for which numpy asks the
# system. Addresses in few pages are translated faster.
LARGE_PAGE = 1 << 21


def aligned_bytes(n_bytes: int) -> npt.NDArray[np.uint8]:
    """Memory of some bytes, with whatever is in it."""
    alignment = LARGE_PAGE if n_bytes >= LARGE_PAGE else ALIGNMENT
    memory = np.empty(n_bytes + alignment, dtype=np.uint8)
    skip = -memory.ctypes.data % alignment
    return memory[skip : skip + n_bytes]
