"""Memory that begins where a page, a cache line or a number does."""

import numpy as np
import numpy.typing as npt

from ...errors import ModelFileError

# Bytes of a cache line.
ALIGNMENT = 64
# Memory of at least LARGE bytes begins where large pages do, for which numpy asks the
# system. Addresses in few pages are translated faster.
LARGE = 1 << 22
LARGE_PAGE = 1 << 21
# Addresses of numbers that lie in an array of bytes must be multiples of this.
LARGEST_NUMBER = 8


def aligned_bytes(n_bytes: int) -> npt.NDArray[np.uint8]:
    """Memory of some bytes, with whatever is in it."""
    alignment = LARGE_PAGE if n_bytes >= LARGE else ALIGNMENT
    memory = np.empty(n_bytes + alignment, dtype=np.uint8)
    skip = -memory.ctypes.data % alignment
    return memory[skip : skip + n_bytes]


def address_of(name: str, array: npt.NDArray[np.uint8]) -> int:
    """Where an array of bytes begins; 0 if it is empty.

    Raises:
        ModelFileError: If no number can begin there.
    """
    address = array.ctypes.data if len(array) else 0
    excess = address % LARGEST_NUMBER
    if excess:
        raise ModelFileError(
            f"the array {name!r} begins {excess} bytes behind a multiple of "
            f"{LARGEST_NUMBER}: copy it to memory of its own"
        )
    return address
