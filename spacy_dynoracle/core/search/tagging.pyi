from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.model import Model
from ..state.sentence import Sentence
from .stepper import Stepper

def tag_words(
    model: Model,
    sentences: list[Sentence],
    known: NDArray[np.int32],
    probabilities: NDArray[np.float64] | None = None,
    biases: dict[int, float] | None = None,
) -> np.ndarray[Any, np.dtype[np.int32]]: ...

class BiasedStepper(Stepper): ...
