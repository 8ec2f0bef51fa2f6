"""Addresses at which numbers can begin."""

import numpy as np
import numpy.typing as npt

from ...errors import ModelFileError

# Addresses of numbers that lie in an array of bytes must be multiples of this.
LARGEST_NUMBER = 8


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
