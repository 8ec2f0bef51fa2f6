"""Memory that begins where a cache line does."""

import numpy as np
import numpy.typing as npt

# Bytes of a cache line.
ALIGNMENT = 64


def aligned_bytes(n_bytes: int) -> npt.NDArray[np.uint8]:
    """Memory of some bytes, with whatever is in it."""
    memory = np.empty(n_bytes + ALIGNMENT, dtype=np.uint8)
    skip = -memory.ctypes.data % ALIGNMENT
    return memory[skip : skip + n_bytes]
