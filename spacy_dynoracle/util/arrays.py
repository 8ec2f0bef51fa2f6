"""Types of NumPy arrays, by what they hold."""

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
# Ids of strings, as spaCy has them.
IdArray = npt.NDArray[np.uint64]
