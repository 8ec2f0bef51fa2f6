from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ..model.model import Model
from ..state.sentence import Sentence
from .stepper import Stepper
from .turns import Queue, Turn

def tag_words(
    model: Model,
    sentences: list[Sentence],
    known: NDArray[np.int32],
    probabilities: NDArray[np.float64] | None = None,
    biases: dict[int, float] | None = None,
) -> np.ndarray[Any, np.dtype[np.int32]]: ...

class BiasedStepper(Stepper): ...

class TaggingTurn(Turn):
    def __new__(
        cls,
        queue: Queue,
        stepper: Stepper,
        known: NDArray[np.int32],
        probabilities: NDArray[np.float64] | None,
    ) -> Self: ...
